from jinja2.runtime import LoopContext, Macro, Markup, Namespace, TemplateNotFound, TemplateReference, TemplateRuntimeError, Undefined, escape, identity, internalcode, markup_join, missing, str_join
name = 'architecture.md.j2'

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
    l_0_nothing = resolve('nothing')
    l_0_context_diagram = resolve('context_diagram')
    l_0_mark = resolve('mark')
    l_0_component_diagram = resolve('component_diagram')
    l_0_review = resolve('review')
    l_0_review_by = resolve('review_by')
    try:
        t_1 = environment.filters['cell']
    except KeyError:
        @internalcode
        def t_1(*unused):
            raise TemplateRuntimeError("No filter named 'cell' found.")
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
    pass
    yield str(environment.finalize((undefined(name='frontmatter') if l_0_frontmatter is missing else l_0_frontmatter)))
    yield '\n\n# '
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'architecture_title', title=(undefined(name='title') if l_0_title is missing else l_0_title))))
    yield '\n\n'
    yield str(environment.finalize((undefined(name='written_by') if l_0_written_by is missing else l_0_written_by)))
    yield '\n\n'
    yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'overview')))
    yield '\n\n'
    if environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'overview'):
        pass
        yield str(environment.finalize(t_3(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'overview'))))
        yield '\n'
    else:
        pass
        yield str(environment.finalize(context.call((undefined(name='nothing') if l_0_nothing is missing else l_0_nothing), 'overview')))
        yield '\n'
    yield '\n'
    yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'context')))
    yield '\n\n'
    yield str(environment.finalize((undefined(name='context_diagram') if l_0_context_diagram is missing else l_0_context_diagram)))
    yield '\n\n'
    if environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'style'):
        pass
        yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'style')))
        yield '\n\n'
        yield str(environment.finalize(environment.getattr(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'style'), 'text')))
        yield str(environment.finalize(context.call((undefined(name='mark') if l_0_mark is missing else l_0_mark), environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'style'))))
        yield '\n\n'
    yield '\n'
    yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'components')))
    yield '\n\n'
    if environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'components'):
        pass
        yield str(environment.finalize((undefined(name='component_diagram') if l_0_component_diagram is missing else l_0_component_diagram)))
        yield '\n\n'
        for l_1_component in environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'components'):
            l_1_refs = resolve('refs')
            l_1_listed = resolve('listed')
            _loop_vars = {}
            pass
            yield '### '
            yield str(environment.finalize(t_2(environment.getattr(l_1_component, 'name'))))
            yield '\n\n'
            yield str(environment.finalize(environment.getattr(l_1_component, 'responsibility')))
            yield str(environment.finalize(context.call((undefined(name='mark') if l_0_mark is missing else l_0_mark), l_1_component, _loop_vars=_loop_vars)))
            yield '\n\n- '
            yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'traces_to', _loop_vars=_loop_vars)))
            yield ': '
            yield str(environment.finalize(context.call((undefined(name='refs') if l_1_refs is missing else l_1_refs), environment.getattr(l_1_component, 'requirements'), _loop_vars=_loop_vars)))
            yield '\n'
            if environment.getattr(l_1_component, 'depends_on'):
                pass
                yield '- '
                yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'depends_on', _loop_vars=_loop_vars)))
                yield ': '
                yield str(environment.finalize(context.call((undefined(name='listed') if l_1_listed is missing else l_1_listed), environment.getattr(l_1_component, 'depends_on'), _loop_vars=_loop_vars)))
                yield '\n'
            yield '\n'
        l_1_component = l_1_refs = l_1_listed = missing
    else:
        pass
        yield str(environment.finalize(context.call((undefined(name='nothing') if l_0_nothing is missing else l_0_nothing), 'components')))
        yield '\n'
    yield '\n'
    yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'stack')))
    yield '\n\n'
    if environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'stack'):
        pass
        yield '| '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'layer')))
        yield ' | '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'choice')))
        yield ' | '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'rationale')))
        yield ' | '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'source')))
        yield ' |\n| --- | --- | --- | --- |\n'
        for l_1_choice in environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'stack'):
            _loop_vars = {}
            pass
            yield '| '
            yield str(environment.finalize(t_1(environment.getattr(l_1_choice, 'layer'))))
            yield ' | '
            yield str(environment.finalize(t_1(environment.getattr(l_1_choice, 'choice'))))
            yield ' | '
            yield str(environment.finalize(t_1(environment.getattr(l_1_choice, 'rationale'))))
            yield ' | '
            yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), environment.getattr(l_1_choice, 'source'), _loop_vars=_loop_vars)))
            yield ' |\n'
        l_1_choice = missing
    else:
        pass
        yield str(environment.finalize(context.call((undefined(name='nothing') if l_0_nothing is missing else l_0_nothing), 'stack')))
        yield '\n'
    yield '\n'
    yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'data_model')))
    yield '\n\n'
    if environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'data_model'):
        pass
        l_1_entities = environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'data_model')
        pass
        template = environment.get_template('_entities.j2', 'architecture.md.j2')
        gen = template.root_render_func(template.new_context(context.get_all(), True, {'entities': l_1_entities}))
        try:
            for event in gen:
                yield event
        finally: gen.close()
        l_1_entities = missing
    else:
        pass
        yield str(environment.finalize(context.call((undefined(name='nothing') if l_0_nothing is missing else l_0_nothing), 'data_model')))
        yield '\n'
    yield '\n'
    yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'api')))
    yield '\n\n'
    if environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'api'):
        pass
        yield '| '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'operation')))
        yield ' | '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'purpose')))
        yield ' | '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'requirements')))
        yield ' |\n| --- | --- | --- |\n'
        for l_1_operation in environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'api'):
            l_1_refs = resolve('refs')
            _loop_vars = {}
            pass
            yield '| '
            yield str(environment.finalize(t_1(environment.getattr(l_1_operation, 'name'))))
            yield ' | '
            yield str(environment.finalize(t_1(environment.getattr(l_1_operation, 'purpose'))))
            yield ' | '
            yield str(environment.finalize(context.call((undefined(name='refs') if l_1_refs is missing else l_1_refs), environment.getattr(l_1_operation, 'requirements'), _loop_vars=_loop_vars)))
            yield ' |\n'
        l_1_operation = l_1_refs = missing
    else:
        pass
        yield str(environment.finalize(context.call((undefined(name='nothing') if l_0_nothing is missing else l_0_nothing), 'api')))
        yield '\n'
    yield '\n'
    if environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'security'):
        pass
        yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'security')))
        yield '\n\n'
        l_1_statements = environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'security')
        pass
        template = environment.get_template('_statements.j2', 'architecture.md.j2')
        gen = template.root_render_func(template.new_context(context.get_all(), True, {'statements': l_1_statements}))
        try:
            for event in gen:
                yield event
        finally: gen.close()
        l_1_statements = missing
        yield '\n'
    yield '\n'
    def t_4(fiter):
        for l_1_component in fiter:
            if environment.getattr(l_1_component, 'files'):
                yield l_1_component
    l_1_loop = missing
    for l_1_component, l_1_loop in LoopContext(t_4(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'components')), undefined):
        l_1_listed = resolve('listed')
        _loop_vars = {}
        pass
        if environment.getattr(l_1_loop, 'first'):
            pass
            yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'mapping', _loop_vars=_loop_vars)))
            yield '\n\n'
        yield '- **'
        yield str(environment.finalize(environment.getattr(l_1_component, 'name')))
        yield '**: '
        yield str(environment.finalize(context.call((undefined(name='listed') if l_1_listed is missing else l_1_listed), environment.getattr(l_1_component, 'files'), _loop_vars=_loop_vars)))
        yield '\n'
    l_1_loop = l_1_component = l_1_listed = missing
    yield '\n'
    yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'decisions')))
    yield '\n\n'
    if environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'adrs'):
        pass
        yield '| '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'id')))
        yield ' | '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'title')))
        yield ' | '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'requirements')))
        yield ' | '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'source')))
        yield ' |\n| --- | --- | --- | --- |\n'
        for l_1_adr in environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'adrs'):
            l_1_ref = resolve('ref')
            l_1_refs = resolve('refs')
            _loop_vars = {}
            pass
            yield '| '
            yield str(environment.finalize(context.call((undefined(name='ref') if l_1_ref is missing else l_1_ref), environment.getattr(l_1_adr, 'id'), _loop_vars=_loop_vars)))
            yield ' | '
            yield str(environment.finalize(t_1(environment.getattr(l_1_adr, 'title'))))
            yield ' | '
            yield str(environment.finalize(context.call((undefined(name='refs') if l_1_refs is missing else l_1_refs), environment.getattr(l_1_adr, 'requirements'), _loop_vars=_loop_vars)))
            yield ' | '
            yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), environment.getattr(l_1_adr, 'source'), _loop_vars=_loop_vars)))
            yield ' |\n'
        l_1_adr = l_1_ref = l_1_refs = missing
    else:
        pass
        yield str(environment.finalize(context.call((undefined(name='nothing') if l_0_nothing is missing else l_0_nothing), 'decisions')))
        yield '\n'
    yield '\n'
    if (undefined(name='review') if l_0_review is missing else l_0_review):
        pass
        yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'review')))
        yield '\n\n'
        yield str(environment.finalize((undefined(name='review_by') if l_0_review_by is missing else l_0_review_by)))
        yield '\n\n'
        if environment.getattr((undefined(name='review') if l_0_review is missing else l_0_review), 'concerns'):
            pass
            yield '| '
            yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'severity')))
            yield ' | '
            yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'concern')))
            yield ' | '
            yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'about')))
            yield ' |\n| --- | --- | --- |\n'
            for l_1_concern in environment.getattr((undefined(name='review') if l_0_review is missing else l_0_review), 'concerns'):
                _loop_vars = {}
                pass
                yield '| '
                yield str(environment.finalize(t_1(environment.getattr(l_1_concern, 'severity'))))
                yield ' | '
                yield str(environment.finalize(t_1(environment.getattr(l_1_concern, 'text'))))
                yield ' | '
                yield str(environment.finalize(t_1(environment.getattr(l_1_concern, 'refers_to'))))
                yield ' |\n'
            l_1_concern = missing
            yield '\n'
        for l_1_suggestion in environment.getattr((undefined(name='review') if l_0_review is missing else l_0_review), 'suggestions'):
            _loop_vars = {}
            pass
            yield '- '
            yield str(environment.finalize(l_1_suggestion))
            yield '\n'
        l_1_suggestion = missing
        yield '\n'
    template = environment.get_template('_questions.j2', 'architecture.md.j2')
    gen = template.root_render_func(template.new_context(context.get_all(), True, {}))
    try:
        for event in gen:
            yield event
    finally: gen.close()
    yield '\n'
    template = environment.get_template('_withdrawn.j2', 'architecture.md.j2')
    gen = template.root_render_func(template.new_context(context.get_all(), True, {}))
    try:
        for event in gen:
            yield event
    finally: gen.close()

blocks = {}
debug_info = '1=41&3=43&5=45&7=47&9=49&10=51&12=55&15=58&17=60&19=62&20=64&22=66&26=70&28=72&29=74&31=76&32=82&34=84&36=87&37=91&38=94&43=102&46=105&48=107&49=110&51=118&52=122&55=133&58=136&60=138&61=142&63=151&66=154&68=156&69=159&71=165&72=170&75=179&78=182&79=184&81=188&85=197&86=206&87=208&90=211&93=217&95=219&96=222&98=230&99=236&102=247&105=250&106=252&108=254&110=256&111=259&113=265&114=269&118=277&119=281&123=285&125=292'
