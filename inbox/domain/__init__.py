"""Pure rules: values in, values out; standard library only, no clock, no settings, no database rows."""
