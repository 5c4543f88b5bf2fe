from jinja2.runtime import LoopContext, Macro, Markup, Namespace, TemplateNotFound, TemplateReference, TemplateRuntimeError, Undefined, escape, identity, internalcode, markup_join, missing, str_join
name = 'requirements.md.j2'

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
    l_0_counts = resolve('counts')
    l_0_by_moscow = resolve('by_moscow')
    l_0_goals = resolve('goals')
    l_0_functional = resolve('functional')
    l_0_nothing = resolve('nothing')
    l_0_nonfunctional = resolve('nonfunctional')
    try:
        t_1 = environment.filters['cell']
    except KeyError:
        @internalcode
        def t_1(*unused):
            raise TemplateRuntimeError("No filter named 'cell' found.")
    try:
        t_2 = environment.filters['length']
    except KeyError:
        @internalcode
        def t_2(*unused):
            raise TemplateRuntimeError("No filter named 'length' found.")
    try:
        t_3 = environment.filters['paragraphs']
    except KeyError:
        @internalcode
        def t_3(*unused):
            raise TemplateRuntimeError("No filter named 'paragraphs' found.")
    pass
    yield str(environment.finalize((undefined(name='frontmatter') if l_0_frontmatter is missing else l_0_frontmatter)))
    yield '\n\n# '
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'requirements_title', title=(undefined(name='title') if l_0_title is missing else l_0_title))))
    yield '\n\n'
    yield str(environment.finalize((undefined(name='written_by') if l_0_written_by is missing else l_0_written_by)))
    yield '\n\n'
    yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'summary')))
    yield '\n\n'
    if environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'summary'):
        pass
        yield str(environment.finalize(t_3(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'summary'))))
        yield '\n\n'
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'counted', **(undefined(name='counts') if l_0_counts is missing else l_0_counts))))
    yield '\n\n| '
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'priority')))
    yield ' | '
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'requirements')))
    yield ' |\n| --- | --- |\n'
    for (l_1_moscow, l_1_ids) in (undefined(name='by_moscow') if l_0_by_moscow is missing else l_0_by_moscow):
        l_1_refs = resolve('refs')
        _loop_vars = {}
        pass
        yield '| '
        yield str(environment.finalize(t_1(l_1_moscow)))
        yield ' | '
        yield str(environment.finalize(context.call((undefined(name='refs') if l_1_refs is missing else l_1_refs), l_1_ids, _loop_vars=_loop_vars)))
        yield ' |\n'
    l_1_moscow = l_1_ids = l_1_refs = missing
    yield '\n'
    yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'goals')))
    yield '\n\n'
    t_4 = 1
    for l_1_goal in (undefined(name='goals') if l_0_goals is missing else l_0_goals):
        l_1_ref = resolve('ref')
        l_1_refs = resolve('refs')
        _loop_vars = {}
        pass
        yield '- '
        yield str(environment.finalize(context.call((undefined(name='ref') if l_1_ref is missing else l_1_ref), environment.getattr(l_1_goal, 'id'), _loop_vars=_loop_vars)))
        yield ' '
        yield str(environment.finalize(environment.getattr(l_1_goal, 'text')))
        yield ' ('
        yield str(environment.finalize(context.call((undefined(name='refs') if l_1_refs is missing else l_1_refs), environment.getattr(l_1_goal, 'served_by'), _loop_vars=_loop_vars)))
        yield ')\n'
        t_4 = 0
    l_1_goal = l_1_ref = l_1_refs = missing
    if t_4:
        pass
        yield str(environment.finalize(context.call((undefined(name='nothing') if l_0_nothing is missing else l_0_nothing), 'goals')))
        yield '\n'
    yield '\n'
    yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'requirements')))
    yield '\n\n'
    if (undefined(name='functional') if l_0_functional is missing else l_0_functional):
        pass
        yield '| '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'id')))
        yield ' | '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'title')))
        yield ' | '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'priority')))
        yield ' | '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'goals')))
        yield ' | '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'criteria')))
        yield ' | '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'source')))
        yield ' |\n| --- | --- | --- | --- | --- | --- |\n'
        for l_1_item in (undefined(name='functional') if l_0_functional is missing else l_0_functional):
            l_1_ref = resolve('ref')
            l_1_refs = resolve('refs')
            _loop_vars = {}
            pass
            yield '| '
            yield str(environment.finalize(context.call((undefined(name='ref') if l_1_ref is missing else l_1_ref), environment.getattr(l_1_item, 'id'), _loop_vars=_loop_vars)))
            yield ' | '
            yield str(environment.finalize(t_1(environment.getattr(l_1_item, 'title'))))
            yield ' | '
            yield str(environment.finalize(t_1(environment.getattr(l_1_item, 'moscow'))))
            yield ' | '
            yield str(environment.finalize(context.call((undefined(name='refs') if l_1_refs is missing else l_1_refs), environment.getattr(l_1_item, 'goals'), _loop_vars=_loop_vars)))
            yield ' | '
            yield str(environment.finalize(t_2(environment.getattr(l_1_item, 'acceptance_criteria'))))
            yield ' | '
            yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), environment.getattr(l_1_item, 'source'), _loop_vars=_loop_vars)))
            yield ' |\n'
        l_1_item = l_1_ref = l_1_refs = missing
    else:
        pass
        yield str(environment.finalize(context.call((undefined(name='nothing') if l_0_nothing is missing else l_0_nothing), 'requirements')))
        yield '\n'
    yield '\n'
    yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'non_functional')))
    yield '\n\n'
    if (undefined(name='nonfunctional') if l_0_nonfunctional is missing else l_0_nonfunctional):
        pass
        yield '| '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'id')))
        yield ' | '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'title')))
        yield ' | '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'category')))
        yield ' | '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'priority')))
        yield ' | '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'goals')))
        yield ' | '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'source')))
        yield ' |\n| --- | --- | --- | --- | --- | --- |\n'
        for l_1_item in (undefined(name='nonfunctional') if l_0_nonfunctional is missing else l_0_nonfunctional):
            l_1_ref = resolve('ref')
            l_1_refs = resolve('refs')
            _loop_vars = {}
            pass
            yield '| '
            yield str(environment.finalize(context.call((undefined(name='ref') if l_1_ref is missing else l_1_ref), environment.getattr(l_1_item, 'id'), _loop_vars=_loop_vars)))
            yield ' | '
            yield str(environment.finalize(t_1(environment.getattr(l_1_item, 'title'))))
            yield ' | '
            yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), environment.getattr(l_1_item, 'category'), _loop_vars=_loop_vars)))
            yield ' | '
            yield str(environment.finalize(t_1(environment.getattr(l_1_item, 'moscow'))))
            yield ' | '
            yield str(environment.finalize(context.call((undefined(name='refs') if l_1_refs is missing else l_1_refs), environment.getattr(l_1_item, 'goals'), _loop_vars=_loop_vars)))
            yield ' | '
            yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), environment.getattr(l_1_item, 'source'), _loop_vars=_loop_vars)))
            yield ' |\n'
        l_1_item = l_1_ref = l_1_refs = missing
    else:
        pass
        yield str(environment.finalize(context.call((undefined(name='nothing') if l_0_nothing is missing else l_0_nothing), 'non_functional')))
        yield '\n'
    yield '\n'
    if environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'entities'):
        pass
        yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'entities')))
        yield '\n\n'
        l_1_entities = environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'entities')
        pass
        template = environment.get_template('_entities.j2', 'requirements.md.j2')
        gen = template.root_render_func(template.new_context(context.get_all(), True, {'entities': l_1_entities}))
        try:
            for event in gen:
                yield event
        finally: gen.close()
        l_1_entities = missing
        yield '\n'
    if environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'integrations'):
        pass
        yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'integrations')))
        yield '\n\n'
        l_1_statements = environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'integrations')
        pass
        template = environment.get_template('_statements.j2', 'requirements.md.j2')
        gen = template.root_render_func(template.new_context(context.get_all(), True, {'statements': l_1_statements}))
        try:
            for event in gen:
                yield event
        finally: gen.close()
        l_1_statements = missing
        yield '\n'
    yield '\n'
    yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'traceability')))
    yield '\n\n'
    if environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'items'):
        pass
        yield '| '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'requirement')))
        yield ' |'
        for l_1_goal in (undefined(name='goals') if l_0_goals is missing else l_0_goals):
            l_1_ref = resolve('ref')
            _loop_vars = {}
            pass
            yield ' '
            yield str(environment.finalize(context.call((undefined(name='ref') if l_1_ref is missing else l_1_ref), environment.getattr(l_1_goal, 'id'), _loop_vars=_loop_vars)))
            yield ' |'
        l_1_goal = l_1_ref = missing
        yield '\n| --- |'
        for l_1_goal in (undefined(name='goals') if l_0_goals is missing else l_0_goals):
            _loop_vars = {}
            pass
            yield ' --- |'
        l_1_goal = missing
        yield '\n'
        for l_1_item in environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'items'):
            l_1_ref = resolve('ref')
            _loop_vars = {}
            pass
            yield '| '
            yield str(environment.finalize(context.call((undefined(name='ref') if l_1_ref is missing else l_1_ref), environment.getattr(l_1_item, 'id'), _loop_vars=_loop_vars)))
            yield ' |'
            for l_2_goal in (undefined(name='goals') if l_0_goals is missing else l_0_goals):
                _loop_vars = {}
                pass
                yield ' '
                yield str(environment.finalize(('x' if (environment.getattr(l_2_goal, 'id') in environment.getattr(l_1_item, 'goals')) else '–')))
                yield ' |'
            l_2_goal = missing
            yield '\n'
        l_1_item = l_1_ref = missing
    else:
        pass
        yield str(environment.finalize(context.call((undefined(name='nothing') if l_0_nothing is missing else l_0_nothing), 'traceability')))
        yield '\n'
    yield '\n'
    template = environment.get_template('_questions.j2', 'requirements.md.j2')
    gen = template.root_render_func(template.new_context(context.get_all(), True, {}))
    try:
        for event in gen:
            yield event
    finally: gen.close()
    yield '\n'
    template = environment.get_template('_withdrawn.j2', 'requirements.md.j2')
    gen = template.root_render_func(template.new_context(context.get_all(), True, {}))
    try:
        for event in gen:
            yield event
    finally: gen.close()

blocks = {}
debug_info = '1=41&3=43&5=45&7=47&9=49&10=51&13=53&15=55&17=59&18=64&21=70&23=73&24=79&26=89&29=92&31=94&32=97&34=109&35=115&38=130&41=133&43=135&44=138&46=150&47=156&50=171&53=174&54=176&56=180&59=188&60=190&62=194&66=203&68=205&69=208&71=219&73=225&74=230&78=243&81=246&83=253'
