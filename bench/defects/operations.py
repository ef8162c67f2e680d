"""Defects of operation: unavailable or reconfigured servers, full disks, lost keys, roles, metrics, first accounts."""

from __future__ import annotations

from bench.defects.defect import defect

SUPERVISOR = "tests/ops/test_supervisor.py"
ADDRESSES = "tests/config/test_server_addresses.py"
RESTORED = "tests/ops/test_restored.py"
SESSIONS = "tests/models/people/test_sessions.py"
COUNTED = "tests/runtime/metrics/test_requests.py"
METRICS = "tests/api/instance/test_metrics.py"
FIRST_ACCOUNT = "tests/ops/test_first_account.py"

DEFECTS = (
    defect(
        "sessions compile their statements",
        "inbox/database/base.py",
        '    "jit": "off",\n',
        "",
        SESSIONS,
    ),
    defect(
        "a claim sorts what is due",
        "inbox/models/deliveries/claims.py",
        "        ORDER BY d.due_at\n",
        "        ORDER BY d.due_at, d.created_at\n",
        "tests/flow/delivery/test_deliver_claims.py",
    ),
    defect(
        "a fault ends the loop of the supervisor",
        "ops/supervisor.py",
        "            except Exception as fault:",
        "            except OSError as fault:",
        f"{SUPERVISOR}::test_an_error_in_the_supervisor_does_not_end_it_and_is_logged_once",
    ),
    defect(
        "a log that cannot be written ends its writer",
        "ops/terminal.py",
        "        except OSError as fault:\n",
        "        except TimeoutError as fault:\n",
        "tests/ops/test_terminal.py",
    ),
    defect(
        "a log is read into memory to be cut",
        "ops/datadir.py",
        "old.read(min(left, PART))",
        "old.read(left)",
        "tests/ops/test_datadir.py::test_a_log_is_cut_without_being_read_into_memory",
    ),
    defect(
        "every host of a database has the first port",
        "inbox/config/server_addresses.py",
        "(ports[place] if len(ports) > 1 else ports[0])",
        "ports[0]",
        ADDRESSES,
    ),
    defect(
        "a database without its keys is started with new ones",
        "ops/up.py",
        "        if self.data.lost_keys and not os.environ",
        "        if self.data.lost_keys and os.environ",
        "tests/ops/test_up_keys.py::test_a_database_is_not_started_without_its_key_file",
    ),
    defect(
        "keys of another database are taken",
        "inbox/services/instance/key_check.py",
        "        elif not _opens(bytes(stored.sealed)):\n            raise KeyMismatch\n",
        "",
        "tests/services/instance/test_key_check.py",
    ),
    defect(
        "without Redis a process is not ready",
        "inbox/api/instance/health.py",
        "    if not _redis():\n",
        "    if not _redis():\n        raise Unavailable()\n",
        "tests/api/instance/test_instance.py::test_the_service_is_degraded_and_ready_without_redis",
    ),
    defect(
        "a damaged file keeps Redis from starting",
        "ops/embedded.py",
        '            (directory / "dump.rdb").unlink(missing_ok=True)\n',
        "",
        "tests/ops/test_embedded.py::test_damaged_files_of_redis_keep_nothing_from_starting",
    ),
    defect(
        "data that was restored without owners stays foreign",
        "ops/embedded.py",
        "            restored = ownership.restore(data, self._account)\n",
        "            restored = 0\n",
        f"{RESTORED}::test_restored_data_without_owners_is_assigned_to_the_servers",
    ),
    defect(
        "a link gives away the file that it leads to",
        "ops/ownership.py",
        "account.pw_gid, dir_fd=place, follow_symlinks=False)",
        "account.pw_gid, dir_fd=place)",
        RESTORED,
    ),
    defect(
        "a closed terminal ends what nohup started",
        "ops/supervisor.py",
        "            if number is not signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:\n",
        "            if number:\n",
        f"{SUPERVISOR}::test_a_supervisor_that_was_started_with_nohup_survives_its_terminal",
    ),
    defect(
        "options of the database's address replace those of the service",
        "inbox/database/base.py",
        '"options": f"{settings} {options}".rstrip()',
        '"options": options or settings',
        f"{SESSIONS}::test_options_of_the_database_url_are_added_to_the_options_of_the_service",
    ),
    defect(
        "newer tables are an error without a reason",
        "inbox/flow/unit_of_work.py",
        'OTHER_TABLES = frozenset({"42P01", "42703", "42883", "42704", "23502"})',
        'OTHER_TABLES = frozenset({"42P01", "42883", "42704"})',
        "tests/api/lists/test_newer_tables.py",
    ),
    defect(
        "refused events are not counted",
        "inbox/api/senders/ingest.py",
        "    metrics.INGEST_REFUSED.labels(problem.code if isinstance(problem, Refusal) else problem).inc()\n",
        "",
        COUNTED,
    ),
    defect(
        "a process that was killed stays among the metrics",
        "inbox/runtime/metrics/processes.py",
        "            _clear(path)\n",
        "            pass\n",
        "tests/runtime/metrics/test_processes.py::test_a_process_that_was_killed_disappears_with_its_socket",
    ),
    defect(
        "a proxy on this machine opens the metrics to everybody",
        "inbox/runtime/metrics/access.py",
        "return _is_loopback(address) and is_local(base_url)",
        "return _is_loopback(address)",
        METRICS,
    ),
    defect(
        "there are no metrics while the database is away",
        "inbox/services/instance/scrape.py",
        "    except (*OUTAGES, peewee.DatabaseError, MaxConnectionsExceeded) as fault:\n",
        "    except peewee.ProgrammingError as fault:\n",
        METRICS,
    ),
    defect(
        "the services are a superuser",
        "ops/embedded.py",
        "CREATE ROLE {SERVICE_ROLE} LOGIN",
        "CREATE ROLE {SERVICE_ROLE} LOGIN SUPERUSER",
        "tests/ops/test_up_roles.py",
    ),
    defect(
        "every fault of an outage has its own line",
        "inbox/runtime/outages.py",
        "        if cause not in self._logged:\n",
        "        if cause:\n",
        "tests/runtime/test_outages.py",
    ),
    defect(
        "a misspelt setting is ignored",
        "inbox/config/unknown.py",
        "name.startswith(PREFIX) and name not in valid_names",
        "name.startswith(PREFIX) and name in valid_names",
        "tests/house/test_settings.py",
    ),
    defect(
        "the web processes make no administrator",
        "ops/first_run.py",
        "        setup.create_first_administrator(settings, now)\n",
        "        if migrates:\n            setup.create_first_administrator(settings, now)\n",
        f"{FIRST_ACCOUNT}::test_the_web_processes_make_the_administrator_and_forget_the_password",
    ),
    defect(
        "an earlier set-up link stays good",
        "inbox/services/instance/setup.py",
        "            return None\n        SetupLink.delete().execute()\n",
        "            return None\n",
        f"{FIRST_ACCOUNT}::test_a_new_setup_link_ends_the_previous_one",
    ),
)
