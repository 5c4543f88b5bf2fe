from jinja2.runtime import LoopContext, Macro, Markup, Namespace, TemplateNotFound, TemplateReference, TemplateRuntimeError, Undefined, escape, identity, internalcode, markup_join, missing, str_join
name = 'summary.md.j2'

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
    l_0_listed = resolve('listed')
    pass
    yield str(environment.finalize((undefined(name='frontmatter') if l_0_frontmatter is missing else l_0_frontmatter)))
    yield '\n\n# '
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'summary_title', title=(undefined(name='title') if l_0_title is missing else l_0_title))))
    yield '\n\n'
    yield str(environment.finalize((undefined(name='written_by') if l_0_written_by is missing else l_0_written_by)))
    yield '\n\n'
    yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'overview')))
    yield '\n\n- '
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'what')))
    yield ': '
    yield str(environment.finalize((environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'what') or context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'no_target'))))
    yield '\n- '
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'who')))
    yield ': '
    yield str(environment.finalize((context.call((undefined(name='listed') if l_0_listed is missing else l_0_listed), environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'who')) if environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'who') else context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'no_target'))))
    yield '\n- '
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'gate_line', gate=environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'gate'), total=environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'total'), coverage=environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'coverage'))))
    yield '\n\n'
    if environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'plans_release'):
        pass
        yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'mvp')))
        yield '\n\n'
        t_1 = 1
        for l_1_entry in environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'mvp'):
            l_1_ref = resolve('ref')
            _loop_vars = {}
            pass
            yield '- '
            yield str(environment.finalize(context.call((undefined(name='ref') if l_1_ref is missing else l_1_ref), environment.getattr(l_1_entry, 'id'), _loop_vars=_loop_vars)))
            yield ' '
            yield str(environment.finalize(environment.getattr(l_1_entry, 'title')))
            yield '\n'
            t_1 = 0
        l_1_entry = l_1_ref = missing
        if t_1:
            l_1_nothing = resolve('nothing')
            pass
            yield str(environment.finalize(context.call((undefined(name='nothing') if l_1_nothing is missing else l_1_nothing), 'mvp')))
            yield '\n'
            l_1_nothing = missing
    yield '\n'
    yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'counts')))
    yield '\n\n'
    for (l_1_document, l_1_count) in environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'counts'):
        _loop_vars = {}
        pass
        yield '- '
        yield str(environment.finalize(l_1_document))
        yield ': '
        yield str(environment.finalize(l_1_count))
        yield '\n'
    l_1_document = l_1_count = missing
    yield '\n'
    yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'proposals')))
    yield '\n\n'
    t_2 = 1
    for l_1_entry in environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'proposals'):
        l_1_ref = resolve('ref')
        _loop_vars = {}
        pass
        yield '- '
        yield str(environment.finalize(context.call((undefined(name='ref') if l_1_ref is missing else l_1_ref), environment.getattr(l_1_entry, 'id'), _loop_vars=_loop_vars)))
        yield ' '
        yield str(environment.finalize(environment.getattr(l_1_entry, 'title')))
        yield '\n'
        t_2 = 0
    l_1_entry = l_1_ref = missing
    if t_2:
        pass
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'none_found')))
        yield '\n'
    if environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'more_proposals'):
        pass
        yield '- … +'
        yield str(environment.finalize(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'more_proposals')))
        yield '\n'
    yield '\n'
    l_1_questions = environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'questions')
    pass
    template = environment.get_template('_questions.j2', 'summary.md.j2')
    gen = template.root_render_func(template.new_context(context.get_all(), True, {'questions': l_1_questions}))
    try:
        for event in gen:
            yield event
    finally: gen.close()
    l_1_questions = missing
    if environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'more_questions'):
        pass
        yield '- … +'
        yield str(environment.finalize(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'more_questions')))
        yield '\n'

blocks = {}
debug_info = '1=18&3=20&5=22&7=24&9=26&10=30&11=34&13=36&14=38&16=41&17=46&19=55&23=59&25=61&26=65&29=71&31=74&32=79&34=87&36=89&37=92&40=97&41=104&42=107'
