from jinja2.runtime import LoopContext, Macro, Markup, Namespace, TemplateNotFound, TemplateReference, TemplateRuntimeError, Undefined, escape, identity, internalcode, markup_join, missing, str_join
name = 'analysis_discussion.md.j2'

def root(context, missing=missing, environment=environment):
    resolve = context.resolve_or_missing
    undefined = environment.undefined
    concat = environment.concat
    cond_expr_undefined = Undefined
    if 0: yield None
    l_0_frontmatter = resolve('frontmatter')
    l_0_t = resolve('t')
    l_0_name = resolve('name')
    l_0_analyses = resolve('analyses')
    l_0_rounds = resolve('rounds')
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
        t_4 = environment.filters['heading']
    except KeyError:
        @internalcode
        def t_4(*unused):
            raise TemplateRuntimeError("No filter named 'heading' found.")
    try:
        t_5 = environment.filters['truncate']
    except KeyError:
        @internalcode
        def t_5(*unused):
            raise TemplateRuntimeError("No filter named 'truncate' found.")
    pass
    yield str(environment.finalize((undefined(name='frontmatter') if l_0_frontmatter is missing else l_0_frontmatter)))
    yield '\n\n# '
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'analysis_discussion', title=(undefined(name='name') if l_0_name is missing else l_0_name))))
    yield '\n\n## '
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'analysis_perspectives')))
    yield '\n\n'
    for l_1_each in (undefined(name='analyses') if l_0_analyses is missing else l_0_analyses):
        l_1_named = resolve('named')
        _loop_vars = {}
        pass
        yield '### '
        yield str(environment.finalize(t_4(context.call((undefined(name='named') if l_1_named is missing else l_1_named), environment.getattr(l_1_each, 'perspective'), _loop_vars=_loop_vars))))
        if environment.getattr(l_1_each, 'is_direction_fix'):
            pass
            yield ': '
            yield str(environment.finalize(t_4(environment.getattr(l_1_each, 'adjusted_focus'))))
        yield '\n\n'
        t_6 = 1
        for l_2_insight in environment.getattr(l_1_each, 'key_insights'):
            _loop_vars = {}
            pass
            yield '- '
            yield str(environment.finalize(environment.getattr(l_2_insight, 'text')))
            yield '\n'
            for l_3_place in environment.getattr(l_2_insight, 'evidence'):
                _loop_vars = {}
                pass
                yield '  - '
                yield str(environment.finalize(t_3(str_join((environment.getattr(l_3_place, 'path'), ':', environment.getattr(l_3_place, 'line'), )))))
                yield ' '
                yield str(environment.finalize(t_2(environment.getattr(l_3_place, 'quote'))))
                yield '\n'
            l_3_place = missing
            t_6 = 0
        l_2_insight = missing
        if t_6:
            pass
            yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'analysis_no_insight')))
            yield '\n'
        for l_2_insight in environment.getattr(l_1_each, 'unverified'):
            _loop_vars = {}
            pass
            yield '- '
            yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'analysis_unverified', text=environment.getattr(l_2_insight, 'text'), _loop_vars=_loop_vars)))
            yield '\n'
        l_2_insight = missing
        yield '\n'
    l_1_each = l_1_named = missing
    for l_1_round in (undefined(name='rounds') if l_0_rounds is missing else l_0_rounds):
        l_1_named = resolve('named')
        _loop_vars = {}
        pass
        yield '## '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'analysis_round', number=environment.getattr(l_1_round, 'round'), type=context.call((undefined(name='named') if l_1_named is missing else l_1_named), environment.getattr(l_1_round, 'type'), _loop_vars=_loop_vars), _loop_vars=_loop_vars)))
        yield '\n\n'
        if environment.getattr(l_1_round, 'user_feedback'):
            pass
            yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'analysis_said', text=environment.getattr(l_1_round, 'user_feedback'), _loop_vars=_loop_vars)))
            yield '\n'
        yield '\n'
        if environment.getattr(l_1_round, 'answers'):
            pass
            yield '### '
            yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'analysis_answers', _loop_vars=_loop_vars)))
            yield '\n\n'
            for l_2_each in environment.getattr(l_1_round, 'answers'):
                _loop_vars = {}
                pass
                yield '- '
                yield str(environment.finalize(environment.getattr(l_2_each, 'question')))
                yield '\n\n  '
                yield str(environment.finalize(environment.getattr(l_2_each, 'answer')))
                yield '\n\n'
                for l_3_place in environment.getattr(l_2_each, 'evidence'):
                    _loop_vars = {}
                    pass
                    yield '  - '
                    yield str(environment.finalize(t_3(str_join((environment.getattr(l_3_place, 'path'), ':', environment.getattr(l_3_place, 'line'), )))))
                    yield ' '
                    yield str(environment.finalize(t_2(environment.getattr(l_3_place, 'quote'))))
                    yield '\n'
                l_3_place = missing
            l_2_each = missing
            yield '\n\n'
        if environment.getattr(environment.getattr(l_1_round, 'updated_understanding'), 'confirmed'):
            pass
            yield '### '
            yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'analysis_confirmed', _loop_vars=_loop_vars)))
            yield '\n\n'
            for l_2_each in environment.getattr(environment.getattr(l_1_round, 'updated_understanding'), 'confirmed'):
                _loop_vars = {}
                pass
                yield '- '
                yield str(environment.finalize(environment.getattr(l_2_each, 'text')))
                yield '\n'
                for l_3_place in environment.getattr(l_2_each, 'evidence'):
                    _loop_vars = {}
                    pass
                    yield '  - '
                    yield str(environment.finalize(t_3(str_join((environment.getattr(l_3_place, 'path'), ':', environment.getattr(l_3_place, 'line'), )))))
                    yield ' '
                    yield str(environment.finalize(t_2(environment.getattr(l_3_place, 'quote'))))
                    yield '\n'
                l_3_place = missing
            l_2_each = missing
            yield '\n\n'
        if environment.getattr(environment.getattr(l_1_round, 'updated_understanding'), 'corrected'):
            pass
            yield '### '
            yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'analysis_corrected', _loop_vars=_loop_vars)))
            yield '\n\n'
            for l_2_text in environment.getattr(environment.getattr(l_1_round, 'updated_understanding'), 'corrected'):
                _loop_vars = {}
                pass
                yield '- '
                yield str(environment.finalize(l_2_text))
                yield '\n'
            l_2_text = missing
            yield '\n\n\n'
        if environment.getattr(environment.getattr(l_1_round, 'updated_understanding'), 'new_insights'):
            pass
            yield '### '
            yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'analysis_new', _loop_vars=_loop_vars)))
            yield '\n\n'
            for l_2_each in environment.getattr(environment.getattr(l_1_round, 'updated_understanding'), 'new_insights'):
                l_2_told = resolve('told')
                _loop_vars = {}
                pass
                yield '- '
                yield str(environment.finalize((t_5(environment, environment.getattr(l_2_each, 'text'), 160) if (environment.getattr(l_2_each, 'text') in (undefined(name='told') if l_2_told is missing else l_2_told)) else environment.getattr(l_2_each, 'text'))))
                yield '\n'
                for l_3_place in (environment.getattr(l_2_each, 'evidence') if (environment.getattr(l_2_each, 'text') not in (undefined(name='told') if l_2_told is missing else l_2_told)) else []):
                    _loop_vars = {}
                    pass
                    yield '  - '
                    yield str(environment.finalize(t_3(str_join((environment.getattr(l_3_place, 'path'), ':', environment.getattr(l_3_place, 'line'), )))))
                    yield ' '
                    yield str(environment.finalize(t_2(environment.getattr(l_3_place, 'quote'))))
                    yield '\n'
                l_3_place = missing
            l_2_each = l_2_told = missing
            yield '\n\n'
        if environment.getattr(l_1_round, 'new_findings'):
            pass
            yield '### '
            yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'analysis_findings', _loop_vars=_loop_vars)))
            yield '\n\n'
            for l_2_text in environment.getattr(l_1_round, 'new_findings'):
                _loop_vars = {}
                pass
                yield '- '
                yield str(environment.finalize(l_2_text))
                yield '\n'
            l_2_text = missing
            yield '\n\n\n'
        if environment.getattr(l_1_round, 'new_questions'):
            pass
            yield '### '
            yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'analysis_questions', _loop_vars=_loop_vars)))
            yield '\n\n'
            for l_2_text in environment.getattr(l_1_round, 'new_questions'):
                _loop_vars = {}
                pass
                yield '- '
                yield str(environment.finalize(l_2_text))
                yield '\n'
            l_2_text = missing
            yield '\n'
    l_1_round = l_1_named = missing
    yield '## '
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'analysis_log')))
    yield '\n\n| '
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'analysis_when')))
    yield ' | '
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'analysis_what')))
    yield ' | '
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'analysis_words')))
    yield ' |\n| --- | --- | --- |\n'
    for l_1_round in (undefined(name='rounds') if l_0_rounds is missing else l_0_rounds):
        l_1_named = resolve('named')
        _loop_vars = {}
        pass
        yield '| '
        yield str(environment.finalize(environment.getattr(l_1_round, 'timestamp')))
        yield ' | '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'analysis_round', number=environment.getattr(l_1_round, 'round'), type=context.call((undefined(name='named') if l_1_named is missing else l_1_named), environment.getattr(l_1_round, 'type'), _loop_vars=_loop_vars), _loop_vars=_loop_vars)))
        yield ' | '
        yield str(environment.finalize(t_1((environment.getattr(l_1_round, 'user_feedback') or '–'))))
        yield ' |\n'
    l_1_round = l_1_named = missing
    if (undefined(name='conclusions') if l_0_conclusions is missing else l_0_conclusions):
        pass
        yield '| '
        yield str(environment.finalize(environment.getattr((undefined(name='conclusions') if l_0_conclusions is missing else l_0_conclusions), 'generated_at')))
        yield ' | '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'analysis_concluded')))
        yield ' | '
        yield str(environment.finalize(t_1(environment.getattr((undefined(name='conclusions') if l_0_conclusions is missing else l_0_conclusions), 'summary'))))
        yield ' |\n'

blocks = {}
debug_info = '1=47&3=49&5=51&7=53&8=58&11=65&12=69&13=71&14=75&17=84&19=86&20=90&24=95&25=100&27=102&28=104&31=107&32=110&34=112&35=116&37=118&39=120&40=124&46=131&47=134&49=136&50=140&51=142&52=146&58=153&59=156&61=158&62=162&68=166&69=169&71=171&72=176&73=178&74=182&80=189&81=192&83=194&84=198&90=202&91=205&93=207&94=211&99=217&101=219&103=225&104=230&106=237&107=240'
