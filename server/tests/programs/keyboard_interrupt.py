# As if somebody had pressed Ctrl-C.
raise KeyboardInterrupt
