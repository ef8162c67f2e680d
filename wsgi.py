"""The WSGI entry point of gunicorn: reads the settings, connects this process, and creates the app."""

import gc
import sys
from pathlib import Path

from gevent import monkey

gc.disable()  # importing creates few cycles; searching for them took an eighth of the start

from app import create_app
from inbox.config.settings import Settings, SettingsInvalid
from inbox.services.instance import bootstrap

green = monkey.is_module_patched("socket")
if green:
    from inbox.runtime.gevent_psycopg import patch

    patch()

try:
    settings = Settings.from_env()
except SettingsInvalid as invalid:
    sys.exit("The settings cannot be used:\n" + "\n".join(f"- {fault}" for fault in invalid.faults))

bootstrap.configure(settings, application="inbox-web", green=green)
app = application = create_app(settings, built=Path(__file__).parent / "web" / "dist")

gc.enable()
