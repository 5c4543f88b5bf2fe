from jinja2.runtime import LoopContext, Macro, Markup, Namespace, TemplateNotFound, TemplateReference, TemplateRuntimeError, Undefined, escape, identity, internalcode, markup_join, missing, str_join
name = 'supervision.md.j2'

def root(context, missing=missing, environment=environment):
    resolve = context.resolve_or_missing
    undefined = environment.undefined
    concat = environment.concat
    cond_expr_undefined = Undefined
    if 0: yield None
    l_0_frontmatter = resolve('frontmatter')
    l_0_t = resolve('t')
    l_0_name = resolve('name')
    l_0_named = resolve('named')
    l_0_record = resolve('record')
    try:
        t_1 = environment.filters['cell']
    except KeyError:
        @internalcode
        def t_1(*unused):
            raise TemplateRuntimeError("No filter named 'cell' found.")
    try:
        t_2 = environment.filters['code']
    except KeyError:
        @internalcode
        def t_2(*unused):
            raise TemplateRuntimeError("No filter named 'code' found.")
    try:
        t_3 = environment.filters['format']
    except KeyError:
        @internalcode
        def t_3(*unused):
            raise TemplateRuntimeError("No filter named 'format' found.")
    try:
        t_4 = environment.filters['length']
    except KeyError:
        @internalcode
        def t_4(*unused):
            raise TemplateRuntimeError("No filter named 'length' found.")
    pass
    yield str(environment.finalize((undefined(name='frontmatter') if l_0_frontmatter is missing else l_0_frontmatter)))
    yield '\n\n# '
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'supervision_title', title=(undefined(name='name') if l_0_name is missing else l_0_name))))
    yield '\n\n**'
    yield str(environment.finalize(context.call((undefined(name='named') if l_0_named is missing else l_0_named), environment.getattr((undefined(name='record') if l_0_record is missing else l_0_record), 'verdict'))))
    yield '** – '
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'supervision_mean', mean=t_3('%.2f', environment.getattr((undefined(name='record') if l_0_record is missing else l_0_record), 'mean')))))
    yield '\n\n| '
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'supervision_check')))
    yield ' | '
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'supervision_result')))
    yield ' | '
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'supervision_says')))
    yield ' |\n| --- | --- | --- |\n'
    for l_1_each in environment.getattr((undefined(name='record') if l_0_record is missing else l_0_record), 'checks'):
        _loop_vars = {}
        pass
        yield '| '
        yield str(environment.finalize(context.call((undefined(name='named') if l_0_named is missing else l_0_named), environment.getattr(l_1_each, 'check'), _loop_vars=_loop_vars)))
        yield ' | '
        yield str(environment.finalize(context.call((undefined(name='named') if l_0_named is missing else l_0_named), environment.getattr(l_1_each, 'result'), _loop_vars=_loop_vars)))
        yield ' | '
        yield str(environment.finalize(t_1(environment.getattr(l_1_each, 'says'))))
        yield ' |\n'
    l_1_each = missing
    def t_5(fiter):
        for l_1_each in fiter:
            if environment.getattr(l_1_each, 'evidence'):
                yield l_1_each
    for l_1_each in t_5(environment.getattr((undefined(name='record') if l_0_record is missing else l_0_record), 'checks')):
        _loop_vars = {}
        pass
        yield '\n## '
        yield str(environment.finalize(context.call((undefined(name='named') if l_0_named is missing else l_0_named), environment.getattr(l_1_each, 'check'), _loop_vars=_loop_vars)))
        yield '\n\n'
        for l_2_one in environment.getattr(l_1_each, 'evidence'):
            _loop_vars = {}
            pass
            yield '- '
            yield str(environment.finalize(t_2(environment.getattr(l_2_one, 'place'))))
            yield ' '
            yield str(environment.finalize(environment.getattr(l_2_one, 'text')))
            if environment.getattr(l_2_one, 'other'):
                pass
                yield ' – '
                yield str(environment.finalize(environment.getattr(l_2_one, 'other')))
            yield '\n'
        l_2_one = missing
        if (environment.getattr(l_1_each, 'found') > t_4(environment.getattr(l_1_each, 'evidence'))):
            pass
            yield '\n'
            yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'supervision_more', count=(environment.getattr(l_1_each, 'found') - t_4(environment.getattr(l_1_each, 'evidence'))), _loop_vars=_loop_vars)))
            yield '\n'
    l_1_each = missing

blocks = {}
debug_info = '1=40&3=42&5=44&7=48&9=54&10=58&12=65&14=73&16=75&17=79&20=88&22=91'
