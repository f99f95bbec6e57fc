"""Stands in for `systemctl`, `systemd-run`, `certbot` and `editor` where there is no systemd: runs what units say.

Called under one of these names. A unit's commands are run as its user, with its environment, folder and umask, by
`setpriv`; what is started stays, its process id and its output in the folder PLAYED.
"""

import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

UNITS, PLAYED = Path("/etc/systemd/system"), Path("/run/played")
HOST = "evalsite.example.org"
PASSWORD = "p%24ss"  # of the database, as in an address


def main(name, arguments):
    """Do what that command would do; anything else fails, so that no command of the page is passed over."""
    match name, arguments:
        case "systemctl", _:
            control(arguments)
        case "systemd-run", [
            "--pty",
            "--uid",
            user,
            "--property",
            given,
            "--working-directory",
            folder,
            *command,
        ]:
            env = read_environment(given.removeprefix("EnvironmentFile="))
            subprocess.run(as_user(user, command), env=env, cwd=folder, check=True)
        case "certbot", ["certonly", "--standalone", "-d", host]:
            folder = Path("/etc/letsencrypt/live", host)
            folder.mkdir(parents=True)
            files = ["-keyout", str(folder / "privkey.pem"), "-out", str(folder / "fullchain.pem")]
            wanted = ["-subj", f"/CN={host}", "-days", "1", "-newkey", "rsa:2048", "-nodes", *files]
            subprocess.run(["openssl", "req", "-x509", *wanted], check=True, capture_output=True)
        case "editor", ["/etc/evalsite.env"]:
            path = Path("/etc/evalsite.env")
            text = path.read_text()
            assert f"ALLOWED_HOSTS={HOST}\n" in text
            path.write_text(text.replace("evalsite:password@", f"evalsite:{PASSWORD}@"))
        case _:
            sys.exit(f"nothing stands in for: {name} {shlex.join(arguments)}")


def control(arguments):
    """Do what `systemctl` would do."""
    match arguments:
        case ["daemon-reload"]:
            assert [*UNITS.glob("evalsite*.service")]
        case ["enable", "--now", "evalsite.target"]:
            start_target()
        case ["restart", "evalsite.target"]:
            for file in PLAYED.glob("*.pid"):
                os.kill(int(file.read_text()), signal.SIGTERM)
                file.unlink()
            start_target()
        case ["start", unit]:
            run_unit(unit)
        case ["reload-or-restart", "nginx"]:
            subprocess.run(["/usr/sbin/nginx"], check=True)
        case _:
            sys.exit(f"nothing stands in for: systemctl {shlex.join(arguments)}")


def start_target():
    """Start the units of the target, after those that they require."""
    wanted = [path.stem for path in UNITS.glob("*.service") if "WantedBy=evalsite.target" in path.read_text()]
    assert sorted(wanted) == ["evalsite-models", "evalsite-prepare", "evalsite-web", "evalsite-worker"]
    for unit in sorted(wanted, key=lambda unit: "Requires=" in (UNITS / f"{unit}.service").read_text()):
        run_unit(unit)


def run_unit(unit):
    """Run the commands of a unit one after the other; one that goes on is left running."""
    lines = (UNITS / f"{unit}.service").read_text().splitlines()
    said = [line.split("=", 1) for line in lines if "=" in line and not line.startswith("#")]
    values = dict(said)
    env = read_environment(values["EnvironmentFile"])
    env |= dict(pair.split("=", 1) for pair in shlex.split(values["Environment"]))
    PLAYED.mkdir(exist_ok=True)
    for command in [shlex.split(value) for name, value in said if name == "ExecStart"]:
        given = {"env": env, "cwd": values["WorkingDirectory"], "umask": int(values["UMask"], 8)}
        if values["Type"] == "oneshot":
            subprocess.run(as_user(values["User"], command), check=True, **given)
            continue
        with (PLAYED / f"{unit}.log").open("a") as log:
            started = subprocess.Popen(
                as_user(values["User"], command), stdout=log, stderr=log, start_new_session=True, **given
            )
        (PLAYED / f"{unit}.pid").write_text(f"{started.pid}\n")


def as_user(user, command):
    """The command as that user, with no rights of root."""
    return ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--no-new-privs", *command]


def read_environment(path):
    """The variables that a unit gets, and no others."""
    lines = [line for line in Path(path).read_text().splitlines() if "=" in line and not line.startswith("#")]
    return {"PATH": "/usr/local/bin:/usr/bin:/bin"} | dict(line.split("=", 1) for line in lines)


if __name__ == "__main__":
    main(Path(sys.argv[0]).name, sys.argv[1:])
