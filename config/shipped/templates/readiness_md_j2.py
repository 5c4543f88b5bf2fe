from jinja2.runtime import LoopContext, Macro, Markup, Namespace, TemplateNotFound, TemplateReference, TemplateRuntimeError, Undefined, escape, identity, internalcode, markup_join, missing, str_join
name = 'readiness.md.j2'

def root(context, missing=missing, environment=environment):
    resolve = context.resolve_or_missing
    undefined = environment.undefined
    concat = environment.concat
    cond_expr_undefined = Undefined
    if 0: yield None
    l_0_frontmatter = resolve('frontmatter')
    l_0_t = resolve('t')
    l_0_title = resolve('title')
    l_0_written_by = resolve('written_by')
    l_0_section = resolve('section')
    l_0_doc = resolve('doc')
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
    pass
    yield str(environment.finalize((undefined(name='frontmatter') if l_0_frontmatter is missing else l_0_frontmatter)))
    yield '\n\n# '
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'readiness_title', title=(undefined(name='title') if l_0_title is missing else l_0_title))))
    yield '\n\n'
    yield str(environment.finalize((undefined(name='written_by') if l_0_written_by is missing else l_0_written_by)))
    yield '\n\n'
    yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'gate')))
    yield '\n\n**'
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'gate_line', gate=environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'gate'), total=environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'total'), coverage=environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'coverage'))))
    yield '**\n\n'
    yield str(environment.finalize(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'verdict')))
    yield '\n\n'
    if environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'needs'):
        pass
        yield str(environment.finalize(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'needs')))
        yield '\n\n'
    if environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'errors'):
        pass
        yield '**'
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'gate_errors')))
        yield '**\n\n'
        for l_1_area in environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'errors'):
            _loop_vars = {}
            pass
            yield '- '
            yield str(environment.finalize(environment.getattr(l_1_area, 'document')))
            yield ': '
            yield str(environment.finalize(environment.getattr(l_1_area, 'text')))
            yield ' '
            yield str(environment.finalize(environment.getattr(l_1_area, 'todo')))
            yield '\n'
        l_1_area = missing
        yield '\n'
    if environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'fates'):
        pass
        yield str(environment.finalize(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'fates')))
        yield '\n\n'
    yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'scores')))
    yield '\n\n| '
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'dimension')))
    yield ' | '
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'weight')))
    yield ' | '
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'score')))
    yield ' | |\n| --- | --- | --- | --- |\n'
    for l_1_bar in environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'bars'):
        _loop_vars = {}
        pass
        yield '| '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), environment.getattr(l_1_bar, 'name'), _loop_vars=_loop_vars)))
        yield ' | '
        yield str(environment.finalize(environment.getattr(l_1_bar, 'weight')))
        yield ' % | '
        yield str(environment.finalize(environment.getattr(l_1_bar, 'score')))
        yield ' | '
        yield str(environment.finalize(t_2(environment.getattr(l_1_bar, 'drawn'))))
        yield ' |\n'
    l_1_bar = missing
    yield '\n'
    yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'findings')))
    yield '\n\n'
    for l_1_bar in environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'bars'):
        _loop_vars = {}
        pass
        yield '### '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), environment.getattr(l_1_bar, 'name'), _loop_vars=_loop_vars)))
        yield '\n\n'
        t_3 = 1
        for l_2_note in environment.getattr(l_1_bar, 'notes'):
            _loop_vars = {}
            pass
            yield '- '
            yield str(environment.finalize(l_2_note))
            yield '\n'
            t_3 = 0
        l_2_note = missing
        if t_3:
            pass
            yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'none_found')))
            yield '\n'
        yield '\n'
    l_1_bar = missing
    if environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'unread'):
        pass
        yield '### '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'unread_blocks')))
        yield '\n\n'
        for l_1_text in environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'unread'):
            _loop_vars = {}
            pass
            yield '- '
            yield str(environment.finalize(l_1_text))
            yield '\n'
        l_1_text = missing
        yield '\n'
    if environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'left'):
        pass
        yield '### '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'left_statements')))
        yield '\n\n'
        for l_1_text in environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'left'):
            _loop_vars = {}
            pass
            yield '- '
            yield str(environment.finalize(l_1_text))
            yield '\n'
        l_1_text = missing
        yield '\n'
    yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'weak_areas')))
    yield '\n\n'
    if environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'weak'):
        pass
        yield '| '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'dimension')))
        yield ' | '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'document')))
        yield ' | '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'weak')))
        yield ' | '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'todo')))
        yield ' |\n| --- | --- | --- | --- |\n'
        for l_1_area in environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'weak'):
            _loop_vars = {}
            pass
            yield '| '
            yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), environment.getattr(l_1_area, 'dimension'), _loop_vars=_loop_vars)))
            yield ' | '
            yield str(environment.finalize(t_1(environment.getattr(l_1_area, 'document'))))
            yield ' | '
            yield str(environment.finalize(t_1(environment.getattr(l_1_area, 'text'))))
            yield ' | '
            yield str(environment.finalize(t_1(environment.getattr(l_1_area, 'todo'))))
            yield ' |\n'
        l_1_area = missing
    else:
        pass
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'nothing_weak')))
        yield '\n'
    yield '\n'
    yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'next_actions')))
    yield '\n\n'
    for l_1_action in environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'actions'):
        _loop_vars = {}
        pass
        yield '1. '
        yield str(environment.finalize(l_1_action))
        yield '\n'
    l_1_action = missing

blocks = {}
debug_info = '1=29&3=31&5=33&7=35&9=37&11=39&13=41&14=43&17=45&18=48&20=50&21=54&25=62&26=64&29=66&31=68&33=74&34=78&37=88&39=90&40=94&42=97&43=101&45=107&49=111&50=114&52=116&53=120&57=124&58=127&60=129&61=133&65=137&67=139&68=142&70=150&71=154&74=165&77=168&79=170&80=174'
