import functools
import importlib

from markupsafe import Markup


def install(env):
    for n in ("discussions.history","discussions.rating","discussions.reasons","discussions.regions","discussions.turning","discussions.verdicts","rubric.reviewing"):
        w,m=n.split("."); mod=importlib.import_module(f"{w}.templatetags.{m}")
        for name in mod.register.tags:
            f=getattr(mod,name,None)
            if f is None: continue
            import inspect
            first=next(iter(inspect.signature(f).parameters))
            g=functools.wraps(f)(lambda *a,_f=f: Markup(_f(*a)))
            env.globals[("tag_" if first=="context" else "")+name]=g
        for name in mod.register.filters: env.filters[name]=getattr(mod,name)
