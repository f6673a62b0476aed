"""Problems with a known or a best known minimum, and the reference that finds the best known one."""
