from jinja2.runtime import LoopContext, Macro, Markup, Namespace, TemplateNotFound, TemplateReference, TemplateRuntimeError, Undefined, escape, identity, internalcode, markup_join, missing, str_join
name = 'advice.md.j2'

def root(context, missing=missing, environment=environment):
    resolve = context.resolve_or_missing
    undefined = environment.undefined
    concat = environment.concat
    cond_expr_undefined = Undefined
    if 0: yield None
    l_0_frontmatter = resolve('frontmatter')
    l_0_t = resolve('t')
    l_0_record = resolve('record')
    l_0_name = resolve('name')
    l_0_named = resolve('named')
    try:
        t_1 = environment.filters['code']
    except KeyError:
        @internalcode
        def t_1(*unused):
            raise TemplateRuntimeError("No filter named 'code' found.")
    try:
        t_2 = environment.filters['paragraphs']
    except KeyError:
        @internalcode
        def t_2(*unused):
            raise TemplateRuntimeError("No filter named 'paragraphs' found.")
    try:
        t_3 = environment.filters['quote']
    except KeyError:
        @internalcode
        def t_3(*unused):
            raise TemplateRuntimeError("No filter named 'quote' found.")
    pass
    yield str(environment.finalize((undefined(name='frontmatter') if l_0_frontmatter is missing else l_0_frontmatter)))
    yield '\n\n# '
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'advice_title', task=environment.getattr((undefined(name='record') if l_0_record is missing else l_0_record), 'task'), title=(undefined(name='name') if l_0_name is missing else l_0_name))))
    yield '\n\n**'
    yield str(environment.finalize(context.call((undefined(name='named') if l_0_named is missing else l_0_named), environment.getattr((undefined(name='record') if l_0_record is missing else l_0_record), 'verdict'))))
    yield '**'
    if (environment.getattr((undefined(name='record') if l_0_record is missing else l_0_record), 'agent') == 'rules'):
        pass
        yield ' – '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'advice_by_rules')))
    yield '\n'
    if environment.getattr((undefined(name='record') if l_0_record is missing else l_0_record), 'question'):
        pass
        yield '\n'
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'advice_question', text=environment.getattr((undefined(name='record') if l_0_record is missing else l_0_record), 'question'))))
        yield '\n'
    if environment.getattr((undefined(name='record') if l_0_record is missing else l_0_record), 'answer'):
        pass
        yield '\n'
        yield str(environment.finalize(t_2(environment.getattr((undefined(name='record') if l_0_record is missing else l_0_record), 'answer'))))
        yield '\n'
    yield '\n## '
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'advice_concerns')))
    yield '\n\n'
    t_4 = 1
    for l_1_each in environment.getattr((undefined(name='record') if l_0_record is missing else l_0_record), 'concerns'):
        _loop_vars = {}
        pass
        yield '- **'
        yield str(environment.finalize(context.call((undefined(name='named') if l_0_named is missing else l_0_named), environment.getattr(l_1_each, 'severity'), _loop_vars=_loop_vars)))
        yield '** '
        yield str(environment.finalize(environment.getattr(l_1_each, 'text')))
        yield '\n'
        for l_2_place in environment.getattr(l_1_each, 'evidence'):
            _loop_vars = {}
            pass
            yield '  - '
            yield str(environment.finalize(t_1(str_join((environment.getattr(l_2_place, 'path'), ':', environment.getattr(l_2_place, 'line'), )))))
            yield ' '
            yield str(environment.finalize(t_3(environment.getattr(l_2_place, 'quote'))))
            yield '\n'
        l_2_place = missing
        for l_2_text in environment.getattr(l_1_each, 'options'):
            _loop_vars = {}
            pass
            yield '  - '
            yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'advice_option', text=l_2_text, _loop_vars=_loop_vars)))
            yield '\n'
        l_2_text = missing
        t_4 = 0
    l_1_each = missing
    if t_4:
        pass
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'advice_none')))
        yield '\n'
    yield '\n## '
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'advice_dimensions')))
    yield '\n\n'
    for l_1_each in environment.getattr((undefined(name='record') if l_0_record is missing else l_0_record), 'dimensions'):
        _loop_vars = {}
        pass
        yield '- '
        yield str(environment.finalize(context.call((undefined(name='named') if l_0_named is missing else l_0_named), environment.getattr(l_1_each, 'name'), _loop_vars=_loop_vars)))
        yield ': '
        yield str(environment.finalize(context.call((undefined(name='named') if l_0_named is missing else l_0_named), environment.getattr(l_1_each, 'rating'), _loop_vars=_loop_vars)))
        if environment.getattr(l_1_each, 'text'):
            pass
            yield ' – '
            yield str(environment.finalize(environment.getattr(l_1_each, 'text')))
        yield '\n'
    l_1_each = missing
    if environment.getattr((undefined(name='record') if l_0_record is missing else l_0_record), 'recommendations'):
        pass
        yield '\n## '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'advice_recommendations')))
        yield '\n\n'
        for l_1_text in environment.getattr((undefined(name='record') if l_0_record is missing else l_0_record), 'recommendations'):
            _loop_vars = {}
            pass
            yield '- '
            yield str(environment.finalize(l_1_text))
            yield '\n'
        l_1_text = missing
    if environment.getattr((undefined(name='record') if l_0_record is missing else l_0_record), 'unverified'):
        pass
        yield '\n'
        for l_1_text in environment.getattr((undefined(name='record') if l_0_record is missing else l_0_record), 'unverified'):
            _loop_vars = {}
            pass
            yield '- '
            yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'advice_unverified', text=l_1_text, _loop_vars=_loop_vars)))
            yield '\n'
        l_1_text = missing

blocks = {}
debug_info = '1=34&3=36&5=38&7=45&9=48&11=50&13=53&16=56&18=59&19=63&20=67&21=71&23=76&24=80&27=87&30=90&32=92&33=96&36=105&38=108&40=110&41=114&44=117&46=120&47=124'
