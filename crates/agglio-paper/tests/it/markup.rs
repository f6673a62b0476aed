//! As much of XML as it takes to see that markup is well formed.

/// The elements with their attributes, and the text between them.
#[derive(Debug, Default)]
pub struct Markup {
    pub elements: Vec<(String, Vec<(String, String)>)>,
    pub text: String,
}

impl Markup {
    /// Every element must be closed, in order, and every attribute quoted.
    #[track_caller]
    pub fn parse(source: &str) -> Markup {
        let (mut markup, mut open, mut rest) = (Markup::default(), Vec::new(), source);
        while let Some((text, after)) = rest.split_once('<') {
            markup.text += &unescape(text);
            if let Some(comment) = after.strip_prefix("!--") {
                rest = comment.split_once("-->").expect("a comment ends").1;
                continue;
            }
            let (tag, after) = after.split_once('>').expect("a tag ends");
            rest = after;
            match tag.strip_prefix('/') {
                Some(name) => assert_eq!(open.pop().as_deref(), Some(name), "{name} is closed"),
                None => markup.open(tag, &mut open),
            }
        }
        assert_eq!(open, [""; 0], "everything is closed");
        assert_eq!(rest.trim(), "", "nothing follows");
        markup
    }

    fn open(&mut self, tag: &str, open: &mut Vec<String>) {
        let (inner, is_empty) = tag.strip_suffix('/').map_or((tag, false), |inner| (inner, true));
        let (name, mut rest) = inner.split_once(' ').unwrap_or((inner, ""));
        let mut attributes = Vec::new();
        while let Some((key, after)) = rest.split_once("=\"") {
            let (value, after) = after.split_once('"').expect("an attribute ends");
            attributes.push((key.trim().to_owned(), unescape(value)));
            rest = after;
        }
        assert_eq!(rest.trim(), "", "attributes of {name} are quoted");
        self.elements.push((name.to_owned(), attributes));
        if !is_empty {
            open.push(name.to_owned());
        }
    }

    /// All values of an attribute.
    pub fn all<'a>(&'a self, attribute: &'a str) -> impl Iterator<Item = &'a str> {
        let attributes = self.elements.iter().flat_map(|(_, attributes)| attributes);
        attributes.filter(move |(key, _)| key == attribute).map(|(_, value)| value.as_str())
    }
}

fn unescape(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        let (name, after) = after.split_once(';').expect("an entity ends");
        let letter = match name {
            "amp" => "&",
            "lt" => "<",
            "gt" => ">",
            "quot" | "#34" => "\"",
            "apos" | "#39" | "#x27" => "'",
            "#x2f" => "/",
            other => panic!("&{other}; is unknown"),
        };
        plain += before;
        plain += letter;
        rest = after;
    }
    plain + rest
}
