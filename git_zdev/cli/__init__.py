"""From ``argv`` to an exit status: the only part that reads the process's environment."""
