from jinja2.runtime import LoopContext, Macro, Markup, Namespace, TemplateNotFound, TemplateReference, TemplateRuntimeError, Undefined, escape, identity, internalcode, markup_join, missing, str_join
name = 'epics.md.j2'

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
    l_0_nothing = resolve('nothing')
    l_0_stories = resolve('stories')
    l_0_epic_diagram = resolve('epic_diagram')
    l_0_order = resolve('order')
    l_0_order_diagram = resolve('order_diagram')
    l_0_chains = resolve('chains')
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
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'epics_title', title=(undefined(name='title') if l_0_title is missing else l_0_title))))
    yield '\n\n'
    yield str(environment.finalize((undefined(name='written_by') if l_0_written_by is missing else l_0_written_by)))
    yield '\n\n'
    yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'summary')))
    yield '\n\n'
    yield str(environment.finalize(t_3(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'summary'))))
    yield '\n\n'
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'epic_counted', **(undefined(name='counts') if l_0_counts is missing else l_0_counts))))
    yield '\n\n'
    yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'list')))
    yield '\n\n'
    if environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'items'):
        pass
        yield '| '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'id')))
        yield ' | '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'title')))
        yield ' | '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'stories')))
        yield ' | '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'requirements')))
        yield ' | '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'source')))
        yield ' |\n| --- | --- | --- | --- | --- |\n'
        for l_1_epic in environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'items'):
            l_1_ref = resolve('ref')
            l_1_refs = resolve('refs')
            _loop_vars = {}
            pass
            yield '| '
            yield str(environment.finalize(context.call((undefined(name='ref') if l_1_ref is missing else l_1_ref), environment.getattr(l_1_epic, 'id'), _loop_vars=_loop_vars)))
            yield ' | '
            yield str(environment.finalize(t_1(environment.getattr(l_1_epic, 'title'))))
            yield ' | '
            yield str(environment.finalize(t_2(environment.getattr(l_1_epic, 'stories'))))
            yield ' | '
            yield str(environment.finalize(context.call((undefined(name='refs') if l_1_refs is missing else l_1_refs), environment.getattr(l_1_epic, 'requirements'), _loop_vars=_loop_vars)))
            yield ' | '
            yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), environment.getattr(l_1_epic, 'source'), _loop_vars=_loop_vars)))
            yield ' |\n'
        l_1_epic = l_1_ref = l_1_refs = missing
    else:
        pass
        yield str(environment.finalize(context.call((undefined(name='nothing') if l_0_nothing is missing else l_0_nothing), 'list')))
        yield '\n'
    yield '\n'
    yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'priority')))
    yield '\n\n'
    t_4 = 1
    for l_1_epic in environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'items'):
        l_1_ref = resolve('ref')
        _loop_vars = {}
        pass
        yield '- '
        yield str(environment.finalize(environment.getattr(l_1_epic, 'moscow')))
        if environment.getattr(l_1_epic, 'release'):
            pass
            yield ' ('
            yield str(environment.finalize(environment.getattr(l_1_epic, 'release')))
            yield ')'
        yield ': '
        yield str(environment.finalize(context.call((undefined(name='ref') if l_1_ref is missing else l_1_ref), environment.getattr(l_1_epic, 'id'), _loop_vars=_loop_vars)))
        yield ' '
        yield str(environment.finalize(environment.getattr(l_1_epic, 'title')))
        yield '\n'
        t_4 = 0
    l_1_epic = l_1_ref = missing
    if t_4:
        pass
        yield str(environment.finalize(context.call((undefined(name='nothing') if l_0_nothing is missing else l_0_nothing), 'priority')))
        yield '\n'
    yield '\n'
    yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'estimates')))
    yield '\n\n'
    if (undefined(name='stories') if l_0_stories is missing else l_0_stories):
        pass
        yield '| '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'story')))
        yield ' | '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'title')))
        yield ' | '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'size')))
        yield ' |\n| --- | --- | --- |\n'
        for l_1_story in (undefined(name='stories') if l_0_stories is missing else l_0_stories):
            l_1_ref = resolve('ref')
            _loop_vars = {}
            pass
            yield '| '
            yield str(environment.finalize(context.call((undefined(name='ref') if l_1_ref is missing else l_1_ref), environment.getattr(l_1_story, 'id'), _loop_vars=_loop_vars)))
            yield ' | '
            yield str(environment.finalize(t_1(environment.getattr(l_1_story, 'title'))))
            yield ' | '
            yield str(environment.finalize(t_1(environment.getattr(l_1_story, 'size'))))
            yield ' |\n'
        l_1_story = l_1_ref = missing
    else:
        pass
        yield str(environment.finalize(context.call((undefined(name='nothing') if l_0_nothing is missing else l_0_nothing), 'estimates')))
        yield '\n'
    yield '\n'
    yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'dependencies')))
    yield '\n\n'
    if environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'items'):
        pass
        yield str(environment.finalize((undefined(name='epic_diagram') if l_0_epic_diagram is missing else l_0_epic_diagram)))
        yield '\n\n'
        def t_5(fiter):
            for l_1_epic in fiter:
                if environment.getattr(l_1_epic, 'depends_on'):
                    yield l_1_epic
        t_6 = 1
        for l_1_epic in t_5(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'items')):
            l_1_ref = resolve('ref')
            l_1_refs = resolve('refs')
            _loop_vars = {}
            pass
            yield '- '
            yield str(environment.finalize(context.call((undefined(name='ref') if l_1_ref is missing else l_1_ref), environment.getattr(l_1_epic, 'id'), _loop_vars=_loop_vars)))
            yield ' '
            yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'depends_on', _loop_vars=_loop_vars)))
            yield ': '
            yield str(environment.finalize(context.call((undefined(name='refs') if l_1_refs is missing else l_1_refs), environment.getattr(l_1_epic, 'depends_on'), _loop_vars=_loop_vars)))
            yield '\n'
            t_6 = 0
        l_1_epic = l_1_ref = l_1_refs = missing
        if t_6:
            pass
            yield '- '
            yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'depends_on')))
            yield ': '
            yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'none')))
            yield '\n'
    else:
        pass
        yield str(environment.finalize(context.call((undefined(name='nothing') if l_0_nothing is missing else l_0_nothing), 'dependencies')))
        yield '\n'
    yield '\n'
    yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'mvp')))
    yield '\n\n'
    def t_7(fiter):
        for l_1_epic in fiter:
            if environment.getattr(l_1_epic, 'mvp'):
                yield l_1_epic
    t_8 = 1
    for l_1_epic in t_7(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'items')):
        l_1_ref = resolve('ref')
        _loop_vars = {}
        pass
        yield '- '
        yield str(environment.finalize(context.call((undefined(name='ref') if l_1_ref is missing else l_1_ref), environment.getattr(l_1_epic, 'id'), _loop_vars=_loop_vars)))
        yield ' '
        yield str(environment.finalize(environment.getattr(l_1_epic, 'goal')))
        yield '\n'
        t_8 = 0
    l_1_epic = l_1_ref = missing
    if t_8:
        pass
        yield str(environment.finalize(context.call((undefined(name='nothing') if l_0_nothing is missing else l_0_nothing), 'mvp')))
        yield '\n'
    yield '\n'
    yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'order')))
    yield '\n\n'
    if (undefined(name='order') if l_0_order is missing else l_0_order):
        pass
        yield str(environment.finalize((undefined(name='order_diagram') if l_0_order_diagram is missing else l_0_order_diagram)))
        yield '\n\n'
        for l_1_step in (undefined(name='order') if l_0_order is missing else l_0_order):
            l_1_refs = resolve('refs')
            _loop_vars = {}
            pass
            yield '1. '
            yield str(environment.finalize(context.call((undefined(name='refs') if l_1_refs is missing else l_1_refs), l_1_step, _loop_vars=_loop_vars)))
            yield '\n'
        l_1_step = l_1_refs = missing
    else:
        pass
        yield str(environment.finalize(context.call((undefined(name='nothing') if l_0_nothing is missing else l_0_nothing), 'order')))
        yield '\n'
    yield '\n'
    yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'traceability')))
    yield '\n\n'
    if (undefined(name='chains') if l_0_chains is missing else l_0_chains):
        pass
        yield '| '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'goals')))
        yield ' | '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'requirement')))
        yield ' | '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'component')))
        yield ' | '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'adr')))
        yield ' | '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'stories')))
        yield ' |\n| --- | --- | --- | --- | --- |\n'
        for l_1_chain in (undefined(name='chains') if l_0_chains is missing else l_0_chains):
            l_1_refs = resolve('refs')
            l_1_ref = resolve('ref')
            l_1_listed = resolve('listed')
            _loop_vars = {}
            pass
            yield '| '
            yield str(environment.finalize(context.call((undefined(name='refs') if l_1_refs is missing else l_1_refs), environment.getattr(l_1_chain, 'goals'), _loop_vars=_loop_vars)))
            yield ' | '
            yield str(environment.finalize(context.call((undefined(name='ref') if l_1_ref is missing else l_1_ref), environment.getattr(l_1_chain, 'requirement'), _loop_vars=_loop_vars)))
            yield ' | '
            yield str(environment.finalize(t_1(context.call((undefined(name='listed') if l_1_listed is missing else l_1_listed), environment.getattr(l_1_chain, 'parts'), _loop_vars=_loop_vars))))
            yield ' | '
            yield str(environment.finalize(context.call((undefined(name='refs') if l_1_refs is missing else l_1_refs), environment.getattr(l_1_chain, 'adrs'), _loop_vars=_loop_vars)))
            yield ' | '
            yield str(environment.finalize(context.call((undefined(name='refs') if l_1_refs is missing else l_1_refs), environment.getattr(l_1_chain, 'stories'), _loop_vars=_loop_vars)))
            yield ' |\n'
        l_1_chain = l_1_refs = l_1_ref = l_1_listed = missing
    else:
        pass
        yield str(environment.finalize(context.call((undefined(name='nothing') if l_0_nothing is missing else l_0_nothing), 'traceability')))
        yield '\n'
    yield '\n'
    template = environment.get_template('_questions.j2', 'epics.md.j2')
    gen = template.root_render_func(template.new_context(context.get_all(), True, {}))
    try:
        for event in gen:
            yield event
    finally: gen.close()
    yield '\n'
    template = environment.get_template('_withdrawn.j2', 'epics.md.j2')
    gen = template.root_render_func(template.new_context(context.get_all(), True, {}))
    try:
        for event in gen:
            yield event
    finally: gen.close()

blocks = {}
debug_info = '1=42&3=44&5=46&7=48&9=50&11=52&13=54&15=56&16=59&18=69&19=75&22=88&25=91&27=94&28=99&30=114&33=117&35=119&36=122&38=128&39=133&42=142&45=145&47=147&48=149&50=151&51=162&53=173&56=179&59=182&61=184&62=194&64=202&67=205&69=207&70=209&72=211&73=216&76=221&79=224&81=226&82=229&84=239&85=246&88=259&91=262&93=269'
