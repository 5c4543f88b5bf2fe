from jinja2.runtime import LoopContext, Macro, Markup, Namespace, TemplateNotFound, TemplateReference, TemplateRuntimeError, Undefined, escape, identity, internalcode, markup_join, missing, str_join
name = 'declared.md.j2'

def root(context, missing=missing, environment=environment):
    resolve = context.resolve_or_missing
    undefined = environment.undefined
    concat = environment.concat
    cond_expr_undefined = Undefined
    if 0: yield None
    l_0_frontmatter = resolve('frontmatter')
    l_0_name = resolve('name')
    l_0_doc = resolve('doc')
    l_0_written_by = resolve('written_by')
    l_0_sections = resolve('sections')
    l_0_withdrawn = resolve('withdrawn')
    l_0_section = resolve('section')
    try:
        t_1 = environment.filters['heading']
    except KeyError:
        @internalcode
        def t_1(*unused):
            raise TemplateRuntimeError("No filter named 'heading' found.")
    try:
        t_2 = environment.filters['paragraphs']
    except KeyError:
        @internalcode
        def t_2(*unused):
            raise TemplateRuntimeError("No filter named 'paragraphs' found.")
    pass
    yield str(environment.finalize((undefined(name='frontmatter') if l_0_frontmatter is missing else l_0_frontmatter)))
    yield '\n\n# '
    yield str(environment.finalize(t_1((undefined(name='name') if l_0_name is missing else l_0_name))))
    yield ': '
    yield str(environment.finalize(t_1(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'title'))))
    yield '\n\n'
    yield str(environment.finalize((undefined(name='written_by') if l_0_written_by is missing else l_0_written_by)))
    yield '\n\n'
    for l_1_part in (undefined(name='sections') if l_0_sections is missing else l_0_sections):
        l_1_nothing = resolve('nothing')
        _loop_vars = {}
        pass
        yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), environment.getattr(l_1_part, 'key'), _loop_vars=_loop_vars)))
        yield '\n\n'
        if environment.getattr(l_1_part, 'text'):
            pass
            yield str(environment.finalize(t_2(environment.getattr(l_1_part, 'text'))))
            yield '\n'
        elif environment.getattr(l_1_part, 'statements'):
            pass
            l_2_statements = environment.getattr(l_1_part, 'statements')
            pass
            template = environment.get_template('_statements.j2', 'declared.md.j2')
            gen = template.root_render_func(template.new_context(context.get_all(), True, {'statements': l_2_statements, 'part': l_1_part}))
            try:
                for event in gen:
                    yield event
            finally: gen.close()
            l_2_statements = missing
        elif environment.getitem(l_1_part, 'items'):
            pass
            for l_2_item in environment.getitem(l_1_part, 'items'):
                l_2_mark = resolve('mark')
                _loop_vars = {}
                pass
                yield '### '
                yield str(environment.finalize(environment.getattr(l_2_item, 'id')))
                yield '\n\n'
                yield str(environment.finalize(environment.getattr(l_2_item, 'text')))
                yield str(environment.finalize(context.call((undefined(name='mark') if l_2_mark is missing else l_2_mark), l_2_item, _loop_vars=_loop_vars)))
                yield '\n\n'
            l_2_item = l_2_mark = missing
        else:
            pass
            yield str(environment.finalize(context.call((undefined(name='nothing') if l_1_nothing is missing else l_1_nothing), environment.getattr(l_1_part, 'key'), _loop_vars=_loop_vars)))
            yield '\n'
        yield '\n'
    l_1_part = l_1_nothing = missing
    template = environment.get_template('_questions.j2', 'declared.md.j2')
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
        for l_1_item in (undefined(name='withdrawn') if l_0_withdrawn is missing else l_0_withdrawn):
            l_1_t = resolve('t')
            _loop_vars = {}
            pass
            yield '### '
            yield str(environment.finalize(environment.getattr(l_1_item, 'id')))
            yield '\n\n'
            yield str(environment.finalize(environment.getattr(l_1_item, 'text')))
            yield ' ('
            yield str(environment.finalize(context.call((undefined(name='t') if l_1_t is missing else l_1_t), 'withdrawn_note', _loop_vars=_loop_vars)))
            yield ')\n\n'
        l_1_item = l_1_t = missing

blocks = {}
debug_info = '1=30&3=32&5=36&7=38&8=42&10=44&11=46&12=48&13=52&14=59&15=61&16=66&18=68&22=74&26=78&28=85&29=87&31=89&32=94&34=96'
