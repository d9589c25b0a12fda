"""Git's own output, byte for byte: status, diffs, combined diffs, renames, ids."""
