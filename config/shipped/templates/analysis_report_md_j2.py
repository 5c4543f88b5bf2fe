from jinja2.runtime import LoopContext, Macro, Markup, Namespace, TemplateNotFound, TemplateReference, TemplateRuntimeError, Undefined, escape, identity, internalcode, markup_join, missing, str_join
name = 'analysis_report.md.j2'

def root(context, missing=missing, environment=environment):
    resolve = context.resolve_or_missing
    undefined = environment.undefined
    concat = environment.concat
    cond_expr_undefined = Undefined
    if 0: yield None
    l_0_frontmatter = resolve('frontmatter')
    l_0_t = resolve('t')
    l_0_name = resolve('name')
    l_0_conclusions = resolve('conclusions')
    try:
        t_1 = environment.filters['cell']
    except KeyError:
        @internalcode
        def t_1(*unused):
            raise TemplateRuntimeError("No filter named 'cell' found.")
    try:
        t_2 = environment.filters['cited']
    except KeyError:
        @internalcode
        def t_2(*unused):
            raise TemplateRuntimeError("No filter named 'cited' found.")
    try:
        t_3 = environment.filters['code']
    except KeyError:
        @internalcode
        def t_3(*unused):
            raise TemplateRuntimeError("No filter named 'code' found.")
    try:
        t_4 = environment.filters['paragraphs']
    except KeyError:
        @internalcode
        def t_4(*unused):
            raise TemplateRuntimeError("No filter named 'paragraphs' found.")
    try:
        t_5 = environment.filters['truncate']
    except KeyError:
        @internalcode
        def t_5(*unused):
            raise TemplateRuntimeError("No filter named 'truncate' found.")
    pass
    yield str(environment.finalize((undefined(name='frontmatter') if l_0_frontmatter is missing else l_0_frontmatter)))
    yield '\n\n# '
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'analysis_report', title=(undefined(name='name') if l_0_name is missing else l_0_name))))
    yield '\n\n'
    yield str(environment.finalize(t_4(environment.getattr((undefined(name='conclusions') if l_0_conclusions is missing else l_0_conclusions), 'summary'))))
    yield '\n\n## '
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'analysis_conclusions')))
    yield '\n\n'
    l_1_loop = missing
    t_6 = 1
    for l_1_each, l_1_loop in LoopContext(environment.getattr((undefined(name='conclusions') if l_0_conclusions is missing else l_0_conclusions), 'key_conclusions'), undefined):
        _loop_vars = {}
        pass
        yield str(environment.finalize(environment.getattr(l_1_loop, 'index')))
        yield '. '
        yield str(environment.finalize(environment.getattr(l_1_each, 'point')))
        yield ' *('
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), str_join(('analysis_confidence_', environment.getattr(l_1_each, 'confidence'), )), _loop_vars=_loop_vars)))
        yield ')*\n'
        for l_2_place in environment.getattr(l_1_each, 'evidence'):
            _loop_vars = {}
            pass
            yield '   - '
            yield str(environment.finalize(t_3(str_join((environment.getattr(l_2_place, 'path'), ':', environment.getattr(l_2_place, 'line'), )))))
            yield ' '
            yield str(environment.finalize(t_2(environment.getattr(l_2_place, 'quote'))))
            yield '\n'
        l_2_place = missing
        t_6 = 0
    l_1_loop = l_1_each = missing
    if t_6:
        pass
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'analysis_no_insight')))
        yield '\n'
    yield '\n'
    if environment.getattr((undefined(name='conclusions') if l_0_conclusions is missing else l_0_conclusions), 'recommendations'):
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
        for l_1_each in environment.getattr((undefined(name='conclusions') if l_0_conclusions is missing else l_0_conclusions), 'recommendations'):
            l_1_named = resolve('named')
            l_1_numbers = resolve('numbers')
            _loop_vars = {}
            pass
            yield '| '
            yield str(environment.finalize(context.call((undefined(name='named') if l_1_named is missing else l_1_named), environment.getattr(l_1_each, 'priority'), _loop_vars=_loop_vars)))
            yield ' | '
            yield str(environment.finalize(t_1(environment.getattr(l_1_each, 'action'))))
            yield ' | '
            yield str(environment.finalize((context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'analysis_by_conclusion', number=environment.getitem((undefined(name='numbers') if l_1_numbers is missing else l_1_numbers), environment.getattr(l_1_each, 'rationale')), text=t_5(environment, environment.getattr(l_1_each, 'rationale'), 60, False, '…'), _loop_vars=_loop_vars) if (environment.getattr(l_1_each, 'rationale') in (undefined(name='numbers') if l_1_numbers is missing else l_1_numbers)) else t_1(environment.getattr(l_1_each, 'rationale')))))
            yield ' |\n'
        l_1_each = l_1_named = l_1_numbers = missing
    yield '\n'
    if environment.getattr(environment.getattr((undefined(name='conclusions') if l_0_conclusions is missing else l_0_conclusions), 'cross_perspective'), 'convergent'):
        pass
        yield '## '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'analysis_shared_files')))
        yield '\n\n'
        for l_1_each in environment.getattr(environment.getattr((undefined(name='conclusions') if l_0_conclusions is missing else l_0_conclusions), 'cross_perspective'), 'convergent')[:8]:
            l_1_listed = resolve('listed')
            _loop_vars = {}
            pass
            yield '- '
            yield str(environment.finalize(t_3(environment.getattr(l_1_each, 'path'))))
            yield ': '
            yield str(environment.finalize(context.call((undefined(name='listed') if l_1_listed is missing else l_1_listed), environment.getattr(l_1_each, 'perspectives'), ours=True, _loop_vars=_loop_vars)))
            yield '\n'
        l_1_each = l_1_listed = missing
    yield '\n'
    if environment.getattr(environment.getattr((undefined(name='conclusions') if l_0_conclusions is missing else l_0_conclusions), 'cross_perspective'), 'conflicts'):
        pass
        yield '## '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'analysis_conflicts')))
        yield '\n\n'
        for l_1_each in environment.getattr(environment.getattr((undefined(name='conclusions') if l_0_conclusions is missing else l_0_conclusions), 'cross_perspective'), 'conflicts'):
            l_1_named = resolve('named')
            _loop_vars = {}
            pass
            yield '- '
            yield str(environment.finalize(context.call((undefined(name='named') if l_1_named is missing else l_1_named), environment.getattr(l_1_each, 'perspective'), _loop_vars=_loop_vars)))
            yield ': '
            yield str(environment.finalize(environment.getattr(l_1_each, 'text')))
            yield '\n'
        l_1_each = l_1_named = missing
    yield '\n'
    if environment.getattr((undefined(name='conclusions') if l_0_conclusions is missing else l_0_conclusions), 'open_questions'):
        pass
        yield '## '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'analysis_questions')))
        yield '\n\n'
        for l_1_text in environment.getattr((undefined(name='conclusions') if l_0_conclusions is missing else l_0_conclusions), 'open_questions'):
            _loop_vars = {}
            pass
            yield '- '
            yield str(environment.finalize(l_1_text))
            yield '\n'
        l_1_text = missing
    yield '\n'
    if environment.getattr((undefined(name='conclusions') if l_0_conclusions is missing else l_0_conclusions), 'follow_up'):
        pass
        yield '## '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'analysis_next')))
        yield '\n\n'
        for l_1_text in environment.getattr((undefined(name='conclusions') if l_0_conclusions is missing else l_0_conclusions), 'follow_up'):
            _loop_vars = {}
            pass
            yield '- '
            yield str(environment.finalize(l_1_text))
            yield '\n'
        l_1_text = missing
    yield '\n'
    if environment.getattr((undefined(name='conclusions') if l_0_conclusions is missing else l_0_conclusions), 'decision_trail'):
        pass
        yield '## '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'analysis_log')))
        yield '\n\n'
        for l_1_each in environment.getattr((undefined(name='conclusions') if l_0_conclusions is missing else l_0_conclusions), 'decision_trail'):
            l_1_named = resolve('named')
            _loop_vars = {}
            pass
            yield '- '
            yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'analysis_round', number=environment.getattr(l_1_each, 'round'), type=context.call((undefined(name='named') if l_1_named is missing else l_1_named), environment.getattr(l_1_each, 'type'), _loop_vars=_loop_vars), _loop_vars=_loop_vars)))
            if environment.getattr(l_1_each, 'words'):
                pass
                yield ': '
                yield str(environment.finalize(environment.getattr(l_1_each, 'words')))
            yield '\n'
        l_1_each = l_1_named = missing

blocks = {}
debug_info = '1=45&3=47&5=49&7=51&9=55&10=58&11=64&12=68&15=77&18=80&19=83&21=85&23=91&24=97&28=105&29=108&31=110&32=115&36=121&37=124&39=126&40=131&44=137&45=140&47=142&48=146&52=150&53=153&55=155&56=159&60=163&61=166&63=168&64=173'
