from jinja2.runtime import LoopContext, Macro, Markup, Namespace, TemplateNotFound, TemplateReference, TemplateRuntimeError, Undefined, escape, identity, internalcode, markup_join, missing, str_join
name = 'team_document.md.j2'

def root(context, missing=missing, environment=environment):
    resolve = context.resolve_or_missing
    undefined = environment.undefined
    concat = environment.concat
    cond_expr_undefined = Undefined
    if 0: yield None
    l_0_frontmatter = resolve('frontmatter')
    l_0_doc = resolve('doc')
    l_0_section = resolve('section')
    try:
        t_1 = environment.filters['code']
    except KeyError:
        @internalcode
        def t_1(*unused):
            raise TemplateRuntimeError("No filter named 'code' found.")
    try:
        t_2 = environment.filters['heading']
    except KeyError:
        @internalcode
        def t_2(*unused):
            raise TemplateRuntimeError("No filter named 'heading' found.")
    try:
        t_3 = environment.filters['paragraphs']
    except KeyError:
        @internalcode
        def t_3(*unused):
            raise TemplateRuntimeError("No filter named 'paragraphs' found.")
    try:
        t_4 = environment.filters['quote']
    except KeyError:
        @internalcode
        def t_4(*unused):
            raise TemplateRuntimeError("No filter named 'quote' found.")
    pass
    yield str(environment.finalize((undefined(name='frontmatter') if l_0_frontmatter is missing else l_0_frontmatter)))
    yield '\n\n# '
    yield str(environment.finalize(t_2(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'title'))))
    yield '\n\n'
    yield str(environment.finalize(t_3(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'summary'))))
    yield '\n\n'
    for l_1_part in environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'sections'):
        _loop_vars = {}
        pass
        yield '## '
        yield str(environment.finalize(t_2(environment.getattr(l_1_part, 'heading'))))
        yield '\n\n'
        yield str(environment.finalize(t_3(environment.getattr(l_1_part, 'text'))))
        yield '\n\n'
        for l_2_point in environment.getattr(l_1_part, 'points'):
            _loop_vars = {}
            pass
            yield '- '
            yield str(environment.finalize(environment.getattr(l_2_point, 'text')))
            yield '\n'
            for l_3_place in environment.getattr(l_2_point, 'evidence'):
                _loop_vars = {}
                pass
                yield '  - '
                yield str(environment.finalize(t_1(str_join((environment.getattr(l_3_place, 'path'), ':', environment.getattr(l_3_place, 'line'), )))))
                yield ' '
                yield str(environment.finalize(t_4(environment.getattr(l_3_place, 'quote'))))
                yield '\n'
            l_3_place = missing
        l_2_point = missing
        yield '\n'
    l_1_part = missing
    if environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'key_decisions'):
        pass
        yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'decisions')))
        yield '\n\n'
        for l_1_text in environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'key_decisions'):
            _loop_vars = {}
            pass
            yield '- '
            yield str(environment.finalize(l_1_text))
            yield '\n'
        l_1_text = missing
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
        l_1_t = resolve('t')
        _loop_vars = {}
        pass
        yield '- '
        yield str(environment.finalize(context.call((undefined(name='t') if l_1_t is missing else l_1_t), 'analysis_unverified', text=l_1_text, _loop_vars=_loop_vars)))
        yield '\n'
    l_1_text = l_1_t = missing

blocks = {}
debug_info = '1=38&3=40&5=42&7=44&8=48&10=50&12=52&13=56&14=58&15=62&20=70&21=72&23=74&24=78&28=82&29=84&31=86&32=90&36=94&37=99'
