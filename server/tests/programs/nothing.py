# Builds nothing.
