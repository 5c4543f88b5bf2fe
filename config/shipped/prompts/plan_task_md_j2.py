from jinja2.runtime import LoopContext, Macro, Markup, Namespace, TemplateNotFound, TemplateReference, TemplateRuntimeError, Undefined, escape, identity, internalcode, markup_join, missing, str_join
name = 'plan_task.md.j2'

def root(context, missing=missing, environment=environment):
    resolve = context.resolve_or_missing
    undefined = environment.undefined
    concat = environment.concat
    cond_expr_undefined = Undefined
    if 0: yield None
    l_0_instructions = resolve('instructions')
    l_0_task = resolve('task')
    l_0_goal = resolve('goal')
    l_0_level = resolve('level')
    l_0_most = resolve('most')
    l_0_listing = resolve('listing')
    l_0_must = resolve('must')
    l_0_cites = resolve('cites')
    l_0_sides = resolve('sides')
    l_0_agents = resolve('agents')
    l_0_follows = resolve('follows')
    l_0_removed = resolve('removed')
    l_0_feedback = resolve('feedback')
    l_0_faults = resolve('faults')
    pass
    yield '# Who you are\n\n'
    yield str((undefined(name='instructions') if l_0_instructions is missing else l_0_instructions))
    yield '\n\n# Your task: '
    yield str((undefined(name='task') if l_0_task is missing else l_0_task))
    yield '\n\n'
    yield str((undefined(name='goal') if l_0_goal is missing else l_0_goal))
    yield '\n\nThe request is of '
    yield str((undefined(name='level') if l_0_level is missing else l_0_level))
    yield ' complexity. A plan has 1 to '
    yield str((undefined(name='most') if l_0_most is missing else l_0_most))
    yield ' tasks'
    if ((undefined(name='level') if l_0_level is missing else l_0_level) == 'Low'):
        pass
        yield ', and here one is usually enough'
    yield '. Each task is done by another agent that sees this plan, in\na copy of the files as they were at the beginning, with what earlier tasks have changed. Tasks that do not wait for each other run at the\nsame time; two that name one file run one after the other.\n\n- Paths are those of the material headed "'
    yield str((undefined(name='listing') if l_0_listing is missing else l_0_listing))
    yield '". `modify` and `delete` need a file that is there, or that an earlier task\n  creates; `create` one that is not.\n- `refs`, and the refs of criteria, name identifiers of the documents and nothing else.'
    if (undefined(name='must') if l_0_must is missing else l_0_must):
        pass
        yield ' Each of these must be carried by a task or stand in\n  `uncovered` with a reason: '
        yield str((undefined(name='must') if l_0_must is missing else l_0_must))
        yield '.'
    if (not (undefined(name='cites') if l_0_cites is missing else l_0_cites)):
        pass
        yield ' There are no identifiers here, so they stay empty.'
    yield '\n\n- A criterion can be tested: it names a number, what is returned, shown, stored or refused, or says given, when and then.\n- Existing tests change only where `tests_may_change` names them, and packages are added only where `new_dependencies` does.\n'
    if (undefined(name='sides') if l_0_sides is missing else l_0_sides):
        pass
        yield '\n- `side` says who does a task: backend or frontend. This team has both.\n'
    yield '\n'
    if (undefined(name='agents') if l_0_agents is missing else l_0_agents):
        pass
        yield '\n- `executor` may name one of '
        yield str((undefined(name='agents') if l_0_agents is missing else l_0_agents))
        yield '; leave it empty unless a task needs that one.\n'
    yield '\n'
    if (undefined(name='follows') if l_0_follows is missing else l_0_follows):
        pass
        yield '\n\nWork on the plan in the material headed "The plan to revise" has begun; the files are as that work has left them. "What has changed in the\nspecification" says why it is planned again. Give every task of "Tasks that are affected" as it has to be now, under its own id, or leave it out where\nnothing of it is wanted any more; add tasks with new ids for what is new. Leave out the tasks of "Tasks that stay": they stay as they are, and may be waited for.\n'
        if (undefined(name='removed') if l_0_removed is missing else l_0_removed):
            pass
            yield '\nThese were withdrawn after work on them had landed, and each needs a task of kind `remove` that cites it: '
            yield str((undefined(name='removed') if l_0_removed is missing else l_0_removed))
            yield '.\n'
        yield '\n'
    yield '\n'
    if (undefined(name='feedback') if l_0_feedback is missing else l_0_feedback):
        pass
        yield '\n\nAnswer each line of the material headed "To be answered in this version".\n'
    yield '\n'
    if (undefined(name='faults') if l_0_faults is missing else l_0_faults):
        pass
        yield '\n\nThe plan that you gave cannot be used. It is in the material headed "The plan as you gave it"; its faults, one a line, are in the material headed\n"Faults of that plan". Give the whole plan again without them.\n'
    yield '\n'

blocks = {}
debug_info = '3=26&5=28&7=30&9=32&13=40&15=42&16=45&20=51&23=55&24=58&26=61&31=64&32=67&35=71&39=75'
