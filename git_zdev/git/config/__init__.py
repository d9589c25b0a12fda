"""Configuration as Git reads it, in process and with every source that Git has.

``config`` answers questions, ``config_file`` reads one file and the types of values,
``command_config`` what the command line and the environment add, ``conditions`` decides about
conditional includes, and ``config_bridge`` shows libgit2 the outcome. Only ``git`` and
``evidence`` use it.
"""
