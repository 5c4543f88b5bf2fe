from jinja2.runtime import LoopContext, Macro, Markup, Namespace, TemplateNotFound, TemplateReference, TemplateRuntimeError, Undefined, escape, identity, internalcode, markup_join, missing, str_join
name = 'role_file.md.j2'

def root(context, missing=missing, environment=environment):
    resolve = context.resolve_or_missing
    undefined = environment.undefined
    concat = environment.concat
    cond_expr_undefined = Undefined
    if 0: yield None
    l_0_role = resolve('role')
    l_0_capabilities = resolve('capabilities')
    l_0_perspectives = resolve('perspectives')
    try:
        t_1 = environment.filters['capitalize']
    except KeyError:
        @internalcode
        def t_1(*unused):
            raise TemplateRuntimeError("No filter named 'capitalize' found.")
    try:
        t_2 = environment.filters['join']
    except KeyError:
        @internalcode
        def t_2(*unused):
            raise TemplateRuntimeError("No filter named 'join' found.")
    try:
        t_3 = environment.filters['map']
    except KeyError:
        @internalcode
        def t_3(*unused):
            raise TemplateRuntimeError("No filter named 'map' found.")
    pass
    yield '---\nrole: '
    yield str(environment.finalize(environment.getattr((undefined(name='role') if l_0_role is missing else l_0_role), 'name')))
    yield '\ncapabilities: ['
    yield str(environment.finalize(t_2(context.eval_ctx, t_3(context, (undefined(name='capabilities') if l_0_capabilities is missing else l_0_capabilities), attribute='name'), ', ')))
    yield ']\nprefixes: ['
    yield str(environment.finalize(t_2(context.eval_ctx, environment.getattr((undefined(name='role') if l_0_role is missing else l_0_role), 'prefixes'), ', ')))
    yield ']\ninner_loop: '
    yield str(environment.finalize(('true' if environment.getattr((undefined(name='role') if l_0_role is missing else l_0_role), 'inner_loop') else 'false')))
    yield '\nperspectives: ['
    yield str(environment.finalize(t_2(context.eval_ctx, (undefined(name='perspectives') if l_0_perspectives is missing else l_0_perspectives), ', ')))
    yield ']\n---\n\n# '
    yield str(environment.finalize(t_1(environment.getattr((undefined(name='role') if l_0_role is missing else l_0_role), 'name'))))
    yield '\n\nYou are the '
    yield str(environment.finalize(environment.getattr((undefined(name='role') if l_0_role is missing else l_0_role), 'name')))
    yield ' of the team. What you make, and how it counts:\n\n'
    for l_1_each in (undefined(name='capabilities') if l_0_capabilities is missing else l_0_capabilities):
        l_1_means = resolve('means')
        _loop_vars = {}
        pass
        yield '- '
        yield str(environment.finalize(environment.getattr(l_1_each, 'name')))
        yield ' (tasks '
        yield str(environment.finalize(environment.getattr(l_1_each, 'prefix')))
        yield '): '
        yield str(environment.finalize(environment.getitem((undefined(name='means') if l_1_means is missing else l_1_means), environment.getitem(environment.getattr((undefined(name='role') if l_0_role is missing else l_0_role), 'works'), environment.getattr(l_1_each, 'prefix')))))
        yield '\n'
    l_1_each = l_1_means = missing
    yield '\n## Focus\n\n'
    for l_1_each in (undefined(name='capabilities') if l_0_capabilities is missing else l_0_capabilities):
        _loop_vars = {}
        pass
        for l_2_line in environment.getattr(l_1_each, 'focus'):
            _loop_vars = {}
            pass
            yield '- '
            yield str(environment.finalize(l_2_line))
            yield '\n'
        l_2_line = missing
    l_1_each = missing
    yield '\n## Boundaries\n\nYou may '
    yield str(environment.finalize(t_2(context.eval_ctx, environment.getattr((undefined(name='role') if l_0_role is missing else l_0_role), 'may'), ', ')))
    yield '; you may not '
    yield str(environment.finalize(t_2(context.eval_ctx, environment.getattr((undefined(name='role') if l_0_role is missing else l_0_role), 'may_not'), ', ')))
    yield '. What you may is kept by the program, and this file does\nnot change it. You speak to the coordinator alone. Where the request needs work that is not yours and no other task of the team does,\nname it as a capability gap instead of doing it.\n'

blocks = {}
debug_info = '2=33&3=35&4=37&5=39&6=41&9=43&11=45&13=47&14=52&19=60&20=63&21=67&27=72'
