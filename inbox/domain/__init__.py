"""The rules: values in, values out; standard library only, no clock, no setting, no row."""
