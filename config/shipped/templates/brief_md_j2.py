from jinja2.runtime import LoopContext, Macro, Markup, Namespace, TemplateNotFound, TemplateReference, TemplateRuntimeError, Undefined, escape, identity, internalcode, markup_join, missing, str_join
name = 'brief.md.j2'

def root(context, missing=missing, environment=environment):
    resolve = context.resolve_or_missing
    undefined = environment.undefined
    concat = environment.concat
    cond_expr_undefined = Undefined
    if 0: yield None
    l_0_frontmatter = resolve('frontmatter')
    l_0_t = resolve('t')
    l_0_doc = resolve('doc')
    l_0_written_by = resolve('written_by')
    l_0_section = resolve('section')
    l_0_mark = resolve('mark')
    l_0_nothing = resolve('nothing')
    l_0_withdrawn = resolve('withdrawn')
    try:
        t_1 = environment.filters['join']
    except KeyError:
        @internalcode
        def t_1(*unused):
            raise TemplateRuntimeError("No filter named 'join' found.")
    try:
        t_2 = environment.filters['paragraphs']
    except KeyError:
        @internalcode
        def t_2(*unused):
            raise TemplateRuntimeError("No filter named 'paragraphs' found.")
    pass
    yield str(environment.finalize((undefined(name='frontmatter') if l_0_frontmatter is missing else l_0_frontmatter)))
    yield '\n\n# '
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'brief_title', title=environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'title'))))
    yield '\n\n'
    yield str(environment.finalize((undefined(name='written_by') if l_0_written_by is missing else l_0_written_by)))
    yield '\n\n'
    yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'vision')))
    yield '\n\n'
    yield str(environment.finalize(environment.getattr(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'vision'), 'text')))
    yield str(environment.finalize(context.call((undefined(name='mark') if l_0_mark is missing else l_0_mark), environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'vision'))))
    yield '\n\n'
    yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'problem')))
    yield '\n\n'
    if (environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'situation') or environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'impact')):
        pass
        if environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'situation'):
            pass
            yield '**'
            yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'situation')))
            yield '**\n\n'
            yield str(environment.finalize(t_2(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'situation'))))
            yield '\n\n'
        if environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'impact'):
            pass
            yield '**'
            yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'impact')))
            yield '**\n\n'
            yield str(environment.finalize(t_2(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'impact'))))
            yield '\n\n'
    else:
        pass
        yield str(environment.finalize(context.call((undefined(name='nothing') if l_0_nothing is missing else l_0_nothing), 'problem')))
        yield '\n\n'
    yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'target_users')))
    yield '\n\n'
    t_3 = 1
    for l_1_user in environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'users'):
        _loop_vars = {}
        pass
        yield '- **'
        yield str(environment.finalize(environment.getattr(l_1_user, 'name')))
        yield '**'
        if environment.getattr(l_1_user, 'needs'):
            pass
            yield ': '
            yield str(environment.finalize(t_1(context.eval_ctx, environment.getattr(l_1_user, 'needs'), '; ')))
        yield str(environment.finalize(context.call((undefined(name='mark') if l_0_mark is missing else l_0_mark), l_1_user, _loop_vars=_loop_vars)))
        yield '\n'
        t_3 = 0
    l_1_user = missing
    if t_3:
        pass
        yield str(environment.finalize(context.call((undefined(name='nothing') if l_0_nothing is missing else l_0_nothing), 'target_users')))
        yield '\n'
    yield '\n'
    yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'goals_and_metrics')))
    yield '\n\n'
    t_4 = 1
    for l_1_goal in environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'goals'):
        _loop_vars = {}
        pass
        yield '### '
        yield str(environment.finalize(environment.getattr(l_1_goal, 'id')))
        yield '\n\n'
        yield str(environment.finalize(environment.getattr(l_1_goal, 'text')))
        yield str(environment.finalize(context.call((undefined(name='mark') if l_0_mark is missing else l_0_mark), l_1_goal, _loop_vars=_loop_vars)))
        yield '\n\n'
        if (environment.getattr(l_1_goal, 'metric') or environment.getattr(l_1_goal, 'target')):
            pass
            yield '- '
            yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'metric', _loop_vars=_loop_vars)))
            yield ': '
            yield str(environment.finalize((environment.getattr(l_1_goal, 'metric') or context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'no_target', _loop_vars=_loop_vars))))
            yield '\n- '
            yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'target', _loop_vars=_loop_vars)))
            yield ': '
            yield str(environment.finalize((environment.getattr(l_1_goal, 'target') or context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'no_target', _loop_vars=_loop_vars))))
            yield '\n'
            if environment.getattr(l_1_goal, 'baseline'):
                pass
                yield '- '
                yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'baseline', _loop_vars=_loop_vars)))
                yield ': '
                yield str(environment.finalize(environment.getattr(l_1_goal, 'baseline')))
                yield '\n'
        yield '\n'
        t_4 = 0
    l_1_goal = missing
    if t_4:
        pass
        yield str(environment.finalize(context.call((undefined(name='nothing') if l_0_nothing is missing else l_0_nothing), 'goals_and_metrics')))
        yield '\n\n'
    yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'scope')))
    yield '\n\n'
    if (environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'in_scope') or environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'out_of_scope')):
        pass
        yield '**'
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'in_scope')))
        yield '**\n\n'
        l_1_statements = environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'in_scope')
        pass
        template = environment.get_template('_statements.j2', 'brief.md.j2')
        gen = template.root_render_func(template.new_context(context.get_all(), True, {'statements': l_1_statements}))
        try:
            for event in gen:
                yield event
        finally: gen.close()
        l_1_statements = missing
        if (not environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'in_scope')):
            pass
            yield '- '
            yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'no_target')))
            yield '\n'
        yield '\n**'
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'out_of_scope')))
        yield '**\n\n'
        l_1_statements = environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'out_of_scope')
        pass
        template = environment.get_template('_statements.j2', 'brief.md.j2')
        gen = template.root_render_func(template.new_context(context.get_all(), True, {'statements': l_1_statements}))
        try:
            for event in gen:
                yield event
        finally: gen.close()
        l_1_statements = missing
        if (not environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'out_of_scope')):
            pass
            yield '- '
            yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'no_target')))
            yield '\n'
    else:
        pass
        yield str(environment.finalize(context.call((undefined(name='nothing') if l_0_nothing is missing else l_0_nothing), 'scope')))
        yield '\n'
    yield '\n'
    def t_5(fiter):
        for (l_1_key, l_1_statements) in fiter:
            if (l_1_statements or (l_1_key == 'constraints')):
                yield (l_1_key, l_1_statements)
    for (l_1_key, l_1_statements) in t_5((('assumptions', environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'assumptions')), ('constraints', environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'constraints')), ('dependencies', environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'dependencies')))):
        _loop_vars = {}
        pass
        yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), l_1_key, _loop_vars=_loop_vars)))
        yield '\n\n'
        template = environment.get_template('_statements.j2', 'brief.md.j2')
        gen = template.root_render_func(template.new_context(context.get_all(), True, {'key': l_1_key, 'statements': l_1_statements}))
        try:
            for event in gen:
                yield event
        finally: gen.close()
        if (not l_1_statements):
            pass
            yield str(environment.finalize(context.call((undefined(name='nothing') if l_0_nothing is missing else l_0_nothing), l_1_key, _loop_vars=_loop_vars)))
            yield '\n'
        yield '\n'
    l_1_key = l_1_statements = missing
    if environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'risks'):
        pass
        yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'risks')))
        yield '\n\n'
        for l_1_risk in environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'risks'):
            _loop_vars = {}
            pass
            yield '- '
            yield str(environment.finalize(environment.getattr(l_1_risk, 'text')))
            if environment.getattr(l_1_risk, 'mitigation'):
                pass
                yield ' ('
                yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'mitigation', _loop_vars=_loop_vars)))
                yield ': '
                yield str(environment.finalize(environment.getattr(l_1_risk, 'mitigation')))
                yield ')'
            yield str(environment.finalize(context.call((undefined(name='mark') if l_0_mark is missing else l_0_mark), l_1_risk, _loop_vars=_loop_vars)))
            yield '\n'
        l_1_risk = missing
        yield '\n'
    if ((environment.getattr(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'synthesis'), 'product') or environment.getattr(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'synthesis'), 'technical')) or environment.getattr(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'synthesis'), 'user')):
        pass
        yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'synthesis')))
        yield '\n\n'
    def t_6(fiter):
        for (l_1_label, l_1_text) in fiter:
            if l_1_text:
                yield (l_1_label, l_1_text)
    for (l_1_label, l_1_text) in t_6((('product_view', environment.getattr(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'synthesis'), 'product')), ('technical_view', environment.getattr(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'synthesis'), 'technical')), ('user_view', environment.getattr(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'synthesis'), 'user')))):
        _loop_vars = {}
        pass
        yield '**'
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), l_1_label, _loop_vars=_loop_vars)))
        yield '**\n\n'
        yield str(environment.finalize(t_2(l_1_text)))
        yield '\n\n'
    l_1_label = l_1_text = missing
    template = environment.get_template('_questions.j2', 'brief.md.j2')
    gen = template.root_render_func(template.new_context(context.get_all(), True, {}))
    try:
        for event in gen:
            yield event
    finally: gen.close()
    yield '\n'
    if (undefined(name='withdrawn') if l_0_withdrawn is missing else l_0_withdrawn):
        pass
        yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'withdrawn')))
        yield '\n\n'
        for l_1_goal in (undefined(name='withdrawn') if l_0_withdrawn is missing else l_0_withdrawn):
            _loop_vars = {}
            pass
            yield '### '
            yield str(environment.finalize(environment.getattr(l_1_goal, 'id')))
            yield '\n\n'
            yield str(environment.finalize(environment.getattr(l_1_goal, 'text')))
            yield ' ('
            yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'withdrawn_note', _loop_vars=_loop_vars)))
            yield ')\n\n'
        l_1_goal = missing

blocks = {}
debug_info = '1=31&3=33&5=35&7=37&9=39&11=42&13=44&14=46&15=49&17=51&20=53&21=56&23=58&27=62&30=64&32=67&33=71&35=83&38=86&40=89&41=93&43=95&45=98&46=101&47=105&48=109&49=112&54=121&57=123&59=125&60=128&62=132&63=139&64=142&67=145&69=149&70=156&71=159&74=163&77=166&78=173&80=175&81=181&82=183&86=187&87=189&89=191&90=195&94=207&95=209&98=211&99=219&101=221&104=224&106=231&107=233&109=235&110=239&112=241'
