from jinja2.runtime import LoopContext, Macro, Markup, Namespace, TemplateNotFound, TemplateReference, TemplateRuntimeError, Undefined, escape, identity, internalcode, markup_join, missing, str_join
name = 'team_findings.md.j2'

def root(context, missing=missing, environment=environment):
    resolve = context.resolve_or_missing
    undefined = environment.undefined
    concat = environment.concat
    cond_expr_undefined = Undefined
    if 0: yield None
    l_0_frontmatter = resolve('frontmatter')
    l_0_doc = resolve('doc')
    l_0_t = resolve('t')
    l_0_section = resolve('section')
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
        t_3 = environment.filters['heading']
    except KeyError:
        @internalcode
        def t_3(*unused):
            raise TemplateRuntimeError("No filter named 'heading' found.")
    try:
        t_4 = environment.filters['quote']
    except KeyError:
        @internalcode
        def t_4(*unused):
            raise TemplateRuntimeError("No filter named 'quote' found.")
    pass
    yield str(environment.finalize((undefined(name='frontmatter') if l_0_frontmatter is missing else l_0_frontmatter)))
    yield '\n\n# '
    yield str(environment.finalize(t_3(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'title'))))
    yield '\n\n'
    l_1_loop = missing
    t_5 = 1
    for l_1_each, l_1_loop in LoopContext(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'key_insights'), undefined):
        _loop_vars = {}
        pass
        yield str(environment.finalize(environment.getattr(l_1_loop, 'index')))
        yield '. '
        yield str(environment.finalize(environment.getattr(l_1_each, 'text')))
        yield '\n'
        for l_2_place in environment.getattr(l_1_each, 'evidence'):
            _loop_vars = {}
            pass
            yield '   - '
            yield str(environment.finalize(t_2(str_join((environment.getattr(l_2_place, 'path'), ':', environment.getattr(l_2_place, 'line'), )))))
            yield ' '
            yield str(environment.finalize(t_4(environment.getattr(l_2_place, 'quote'))))
            yield '\n'
        l_2_place = missing
        t_5 = 0
    l_1_loop = l_1_each = missing
    if t_5:
        pass
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'analysis_no_insight')))
        yield '\n'
    yield '\n'
    if environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'key_findings'):
        pass
        yield '## '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'analysis_findings')))
        yield '\n\n'
        for l_1_text in environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'key_findings'):
            _loop_vars = {}
            pass
            yield '- '
            yield str(environment.finalize(l_1_text))
            yield '\n'
        l_1_text = missing
    yield '\n'
    if environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'recommendations'):
        pass
        yield '## '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'analysis_advice')))
        yield '\n\n| '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'analysis_priority')))
        yield ' | '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'analysis_action')))
        yield ' | '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'analysis_why')))
        yield ' |\n| --- | --- | --- |\n'
        for l_1_each in environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'recommendations'):
            l_1_named = resolve('named')
            _loop_vars = {}
            pass
            yield '| '
            yield str(environment.finalize(context.call((undefined(name='named') if l_1_named is missing else l_1_named), environment.getattr(l_1_each, 'priority'), _loop_vars=_loop_vars)))
            yield ' | '
            yield str(environment.finalize(t_1(environment.getattr(l_1_each, 'action'))))
            yield ' | '
            yield str(environment.finalize(t_1(environment.getattr(l_1_each, 'rationale'))))
            yield ' |\n'
        l_1_each = l_1_named = missing
    yield '\n'
    if environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'open_questions'):
        pass
        yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'open_questions')))
        yield '\n\n'
        for l_1_text in environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'open_questions'):
            _loop_vars = {}
            pass
            yield '- '
            yield str(environment.finalize(l_1_text))
            yield '\n'
        l_1_text = missing
    yield '\n'
    for l_1_text in environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'unverified'):
        _loop_vars = {}
        pass
        yield '- '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'analysis_unverified', text=l_1_text, _loop_vars=_loop_vars)))
        yield '\n'
    l_1_text = missing

blocks = {}
debug_info = '1=39&3=41&5=45&6=48&7=52&8=56&11=65&14=68&15=71&17=73&18=77&22=81&23=84&25=86&27=92&28=97&32=105&33=107&35=109&36=113&40=117&41=121'
