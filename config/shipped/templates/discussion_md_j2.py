from jinja2.runtime import LoopContext, Macro, Markup, Namespace, TemplateNotFound, TemplateReference, TemplateRuntimeError, Undefined, escape, identity, internalcode, markup_join, missing, str_join
name = 'discussion.md.j2'

def root(context, missing=missing, environment=environment):
    resolve = context.resolve_or_missing
    undefined = environment.undefined
    concat = environment.concat
    cond_expr_undefined = Undefined
    if 0: yield None
    l_0_frontmatter = resolve('frontmatter')
    l_0_t = resolve('t')
    l_0_doc = resolve('doc')
    l_0_section = resolve('section')
    l_0_file_link = resolve('file_link')
    l_0_listed = resolve('listed')
    l_0_named = resolve('named')
    try:
        t_1 = environment.filters['cell']
    except KeyError:
        @internalcode
        def t_1(*unused):
            raise TemplateRuntimeError("No filter named 'cell' found.")
    try:
        t_2 = environment.tests['none']
    except KeyError:
        @internalcode
        def t_2(*unused):
            raise TemplateRuntimeError("No test named 'none' found.")
    pass
    yield str(environment.finalize((undefined(name='frontmatter') if l_0_frontmatter is missing else l_0_frontmatter)))
    yield '\n\n# '
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'discussion_title', round=environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'round'))))
    yield '\n\n'
    if environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'partial'):
        pass
        yield '**'
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'partial', reason=environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'partial'))))
        yield '**\n\n'
    yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'artifact')))
    yield '\n\n- '
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'artifact_line')))
    yield ': '
    yield str(environment.finalize(context.call((undefined(name='file_link') if l_0_file_link is missing else l_0_file_link), environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'artifact'))))
    yield '\n- '
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'perspectives')))
    yield ': '
    yield str(environment.finalize(context.call((undefined(name='listed') if l_0_listed is missing else l_0_listed), environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'perspectives'), ours=True)))
    yield '\n'
    for l_1_note in environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'notes'):
        _loop_vars = {}
        pass
        yield '- '
        yield str(environment.finalize(l_1_note))
        yield '\n'
    l_1_note = missing
    yield '\n'
    yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'consensus')))
    yield '\n\n- '
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'verdict')))
    yield ': '
    yield str(environment.finalize(context.call((undefined(name='named') if l_0_named is missing else l_0_named), environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'consensus'))))
    if environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'severity'):
        pass
        yield ' ('
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'severity')))
        yield ': '
        yield str(environment.finalize(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'severity')))
        yield ')'
    yield '\n- '
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'mean')))
    yield ': '
    yield str(environment.finalize((environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'mean') if (not t_2(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'mean'))) else '–')))
    yield '\n'
    if environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'recommendation'):
        pass
        yield '- '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'recommendation')))
        yield ': '
        yield str(environment.finalize(context.call((undefined(name='named') if l_0_named is missing else l_0_named), environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'recommendation'))))
        yield '\n'
    yield '\n'
    yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'ratings')))
    yield '\n\n'
    if environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'ratings'):
        pass
        yield '| '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'perspective')))
        yield ' | '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'agent')))
        yield ' | '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'rating')))
        yield ' | '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'key_finding')))
        yield ' |\n| --- | --- | --- | --- |\n'
        for l_1_rating in environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'ratings'):
            _loop_vars = {}
            pass
            yield '| '
            yield str(environment.finalize(t_1(context.call((undefined(name='named') if l_0_named is missing else l_0_named), environment.getattr(l_1_rating, 'label'), _loop_vars=_loop_vars))))
            yield ' | '
            yield str(environment.finalize(t_1(environment.getattr(l_1_rating, 'agent'))))
            yield ' | '
            yield str(environment.finalize(environment.getattr(l_1_rating, 'rating')))
            yield ' | '
            yield str(environment.finalize(t_1(environment.getattr(l_1_rating, 'key_finding'))))
            yield ' |\n'
        l_1_rating = missing
    else:
        pass
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'none_found')))
        yield '\n'
    yield '\n'
    yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'themes')))
    yield '\n\n'
    t_3 = 1
    for l_1_theme in environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'themes'):
        _loop_vars = {}
        pass
        yield '- '
        yield str(environment.finalize(environment.getattr(l_1_theme, 'text')))
        yield ' ('
        yield str(environment.finalize(context.call((undefined(name='listed') if l_0_listed is missing else l_0_listed), environment.getattr(l_1_theme, 'perspectives'), ours=True, _loop_vars=_loop_vars)))
        yield ')\n'
        t_3 = 0
    l_1_theme = missing
    if t_3:
        pass
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'none_found')))
        yield '\n'
    yield '\n'
    yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'divergences')))
    yield '\n\n'
    t_4 = 1
    for l_1_view in environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'divergences'):
        _loop_vars = {}
        pass
        yield '- **'
        yield str(environment.finalize(environment.getattr(l_1_view, 'severity')))
        yield '** '
        yield str(environment.finalize(environment.getattr(l_1_view, 'text')))
        yield ' ('
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'held_by', holders=context.call((undefined(name='listed') if l_0_listed is missing else l_0_listed), environment.getattr(l_1_view, 'perspectives'), ours=True, _loop_vars=_loop_vars), _loop_vars=_loop_vars)))
        yield ')\n'
        t_4 = 0
    l_1_view = missing
    if t_4:
        pass
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'none_found')))
        yield '\n'
    yield '\n'
    yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'coverage_gaps')))
    yield '\n\n'
    t_5 = 1
    for l_1_gap in environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'coverage_gaps'):
        _loop_vars = {}
        pass
        yield '- '
        yield str(environment.finalize(l_1_gap))
        yield '\n'
        t_5 = 0
    l_1_gap = missing
    if t_5:
        pass
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'none_found')))
        yield '\n'
    yield '\n'
    if environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'risks'):
        pass
        yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'risks')))
        yield '\n\n| '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'risk')))
        yield ' | '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'likelihood')))
        yield ' | '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'impact')))
        yield ' | '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'mitigation')))
        yield ' |\n| --- | --- | --- | --- |\n'
        for l_1_risk in environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'risks'):
            _loop_vars = {}
            pass
            yield '| '
            yield str(environment.finalize(t_1(environment.getattr(l_1_risk, 'description'))))
            yield ' | '
            yield str(environment.finalize(t_1(environment.getattr(l_1_risk, 'likelihood'))))
            yield ' | '
            yield str(environment.finalize(t_1(environment.getattr(l_1_risk, 'impact'))))
            yield ' | '
            yield str(environment.finalize(t_1(environment.getattr(l_1_risk, 'mitigation'))))
            yield ' |\n'
        l_1_risk = missing
        yield '\n'
    yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'action_items')))
    yield '\n\n'
    t_6 = 1
    for l_1_action in environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'action_items'):
        _loop_vars = {}
        pass
        yield '1. '
        yield str(environment.finalize(l_1_action))
        yield '\n'
        t_6 = 0
    l_1_action = missing
    if t_6:
        pass
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'none_found')))
        yield '\n'
    yield '\n'
    l_1_questions = environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'open_questions')
    pass
    template = environment.get_template('_questions.j2', 'discussion.md.j2')
    gen = template.root_render_func(template.new_context(context.get_all(), True, {'questions': l_1_questions}))
    try:
        for event in gen:
            yield event
    finally: gen.close()
    l_1_questions = missing
    yield '\n'
    if environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'standalone'):
        pass
        yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'previous_rounds')))
        yield '\n\n'
        t_7 = 1
        for l_1_path in environment.getattr(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'standalone'), 'previous_rounds'):
            _loop_vars = {}
            pass
            yield '- '
            yield str(environment.finalize(context.call((undefined(name='file_link') if l_0_file_link is missing else l_0_file_link), l_1_path, _loop_vars=_loop_vars)))
            yield '\n'
            t_7 = 0
        l_1_path = missing
        if t_7:
            pass
            yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'none_found')))
            yield '\n'
        yield '\n'
        yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'sentiment')))
        yield '\n\n'
        yield str(environment.finalize(environment.getattr(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'standalone'), 'sentiment')))
        yield '\n\n'
        for (l_1_key, l_1_entries) in (('risk_flags', environment.getattr(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'standalone'), 'risk_flags')), ('decision_log', environment.getattr(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'standalone'), 'decision_log')), ('advice', environment.getattr(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'standalone'), 'advice')), ('options', environment.getattr(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'standalone'), 'options'))):
            _loop_vars = {}
            pass
            yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), l_1_key, _loop_vars=_loop_vars)))
            yield '\n\n'
            t_8 = 1
            for l_2_entry in l_1_entries:
                _loop_vars = {}
                pass
                yield '- '
                yield str(environment.finalize(l_2_entry))
                yield '\n'
                t_8 = 0
            l_2_entry = missing
            if t_8:
                pass
                yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'none_found')))
                yield '\n'
            yield '\n'
        l_1_key = l_1_entries = missing
        yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'decision')))
        yield '\n\n'
        if environment.getattr(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'standalone'), 'decision'):
            pass
            yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'decided', who=environment.getattr(environment.getattr(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'standalone'), 'decision'), 'who'), when=environment.getattr(environment.getattr(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'standalone'), 'decision'), 'when'))))
            yield '\n\n> '
            yield str(environment.finalize(environment.getattr(environment.getattr(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'standalone'), 'decision'), 'text')))
            yield '\n'
        elif environment.getattr(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'standalone'), 'needs_decision'):
            pass
            yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'waiting_decision')))
            yield '\n'
        else:
            pass
            yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'none_found')))
            yield '\n'

blocks = {}
debug_info = '1=30&3=32&5=34&6=37&9=39&11=41&12=45&13=49&14=53&17=57&19=59&21=70&22=74&23=77&26=82&28=84&29=87&31=95&32=99&35=110&38=113&40=116&41=120&43=128&46=131&48=134&49=138&51=148&54=151&56=154&57=158&59=164&62=167&63=169&65=171&67=179&68=183&72=193&74=196&75=200&77=206&80=211&82=219&83=221&85=224&86=228&88=234&91=237&93=239&95=241&96=244&98=247&99=251&101=257&105=261&107=263&108=265&110=267&111=269&112=271&114=275'
