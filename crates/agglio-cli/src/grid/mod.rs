//! A *grid*: the settings that a search tries, as a product of keys with their values.

mod axis;
pub mod paper;
pub mod standard;

use agglio::math::rng::{Permutation, Random, Stream};
use anyhow::{Result, bail};

use axis::{Axis, MOST};

/// Keys with their values, in the order in which they were typed.
#[derive(Clone, Debug)]
pub struct Grid(Vec<Axis>);

/// One value for each key.
pub type Setting = Vec<(String, String)>;

impl Grid {
    /// `eta=1,2;tau0=logspace(1e-4,0.1,4)`
    ///
    /// # Errors
    /// If there is no key, a key stands twice, or its values are none.
    pub fn parse(typed: &str) -> Result<Grid> {
        let axes = typed.split(';').filter(|axis| !axis.trim().is_empty()).map(Axis::parse);
        let axes: Vec<Axis> = axes.collect::<Result<_>>()?;
        if axes.is_empty() {
            bail!(
                "the grid has no keys; write `standard`, `paper`, or keys with their values such as 'eta=1,10;tau0=0.1,0.01'"
            );
        }
        let twice = axes.iter().enumerate().find(|(i, axis)| axes[..*i].iter().any(|other| other.key == axis.key));
        match twice {
            Some((_, axis)) => bail!("`{}` occurs twice in the grid; put all its values into one list", axis.key),
            None => Ok(Grid(axes)),
        }
    }

    /// The keys.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|axis| axis.key.as_str())
    }

    /// Every setting, the last key changing fastest.
    ///
    /// # Errors
    /// If there are ranges, or too many settings.
    pub fn all(&self) -> Result<Vec<Setting>> {
        let Some(lists) = self.lists() else {
            bail!("the grid has a range; pass --random N to draw N settings from it");
        };
        match size(&lists).filter(|&size| size <= MOST) {
            Some(size) => Ok((0..size).map(|index| self.at(index, &lists)).collect()),
            None => {
                bail!("the grid has more than {MOST} settings; leave some out, or pass --random N to try N of them")
            }
        }
    }

    /// Settings by chance: of lists alone each at most once and in the order of the grid, with ranges each value by itself.
    ///
    /// # Errors
    /// If there are to be none, or too many.
    pub fn draw(&self, count: usize, seed: u64) -> Result<Vec<Setting>> {
        if !(1..=MOST).contains(&count) {
            bail!("random is {count}; it must be at least 1 and at most {MOST}");
        }
        let mut random = Random::new(seed, Stream::Settings);
        let Some(lists) = self.lists() else {
            let mut setting = || self.0.iter().map(|axis| (axis.key.clone(), axis.values.draw(&mut random))).collect();
            return Ok((0..count).map(|_| setting()).collect());
        };
        let Some(size) = size(&lists) else { bail!("the grid has more than 2^64 settings; leave some out") };
        let order = Permutation::new(random.bits(), size);
        let mut drawn: Vec<usize> = (0..count.min(size)).map(|position| order.at(position)).collect();
        drawn.sort_unstable();
        Ok(drawn.into_iter().map(|index| self.at(index, &lists)).collect())
    }

    /// The values of each key; none if a key has a range.
    fn lists(&self) -> Option<Vec<&[String]>> {
        self.0.iter().map(Axis::list).collect()
    }

    /// The setting with this number, counted with the last key changing fastest.
    fn at(&self, mut index: usize, lists: &[&[String]]) -> Setting {
        let mut setting = Setting::with_capacity(lists.len());
        for (axis, list) in self.0.iter().zip(lists).rev() {
            setting.push((axis.key.clone(), list[index % list.len()].clone()));
            index /= list.len();
        }
        setting.reverse();
        setting
    }
}

/// How many settings there are, if a number holds it.
fn size(lists: &[&[String]]) -> Option<usize> {
    lists.iter().try_fold(1_usize, |size, list| size.checked_mul(list.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(settings: Result<Vec<Setting>>) -> Vec<Vec<String>> {
        let settings = settings.unwrap_or_default().into_iter();
        settings.map(|setting| setting.into_iter().map(|(_, value)| value).collect()).collect()
    }

    fn grid(typed: &str) -> Grid {
        Grid::parse(typed).unwrap_or_else(|why| panic!("{typed}: {why}"))
    }

    #[test]
    fn a_grid_is_a_product_in_order() {
        let all = values(grid("eta=1,2;;scaling=none,standard").all());
        assert_eq!(all, [["1", "none"], ["1", "standard"], ["2", "none"], ["2", "standard"]]);
    }

    #[test]
    fn draws_of_lists_do_not_repeat_and_are_in_order() {
        let typed = grid("eta=linspace(1,10,10);beta=1.1,1.2");
        let all = values(typed.all());
        let drawn = values(typed.draw(7, 3));
        assert_eq!(drawn.len(), 7);
        let places: Vec<_> = drawn.iter().map(|one| all.iter().position(|other| other == one)).collect();
        assert!(places.iter().all(Option::is_some) && places.is_sorted() && places.windows(2).all(|w| w[0] != w[1]));
        assert_eq!(values(typed.draw(1000, 3)), all);
        assert_ne!(values(typed.draw(7, 4)), drawn);
        // far too many to be listed
        let wide = grid("eta=linspace(1,2,10000);beta=linspace(1.1,2,10000);mu=linspace(0,0.9,10000)");
        assert_eq!((wide.all().is_err(), values(wide.draw(5, 0)).len()), (true, 5));
    }

    #[test]
    fn draws_from_a_range_are_as_many_as_asked_for() {
        let typed = grid("eta=loguniform(1,500);tau0=0.1,0.01");
        assert!(typed.all().is_err());
        let drawn = values(typed.draw(30, 1));
        assert!(drawn.len() == 30 && drawn.windows(2).all(|pair| pair[0][0] != pair[1][0]));
        assert_eq!(values(typed.draw(30, 1)), drawn);
    }
}
