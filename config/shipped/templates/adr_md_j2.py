from jinja2.runtime import LoopContext, Macro, Markup, Namespace, TemplateNotFound, TemplateReference, TemplateRuntimeError, Undefined, escape, identity, internalcode, markup_join, missing, str_join
name = 'adr.md.j2'

def root(context, missing=missing, environment=environment):
    resolve = context.resolve_or_missing
    undefined = environment.undefined
    concat = environment.concat
    cond_expr_undefined = Undefined
    if 0: yield None
    l_0_frontmatter = resolve('frontmatter')
    l_0_item = resolve('item')
    l_0_is_withdrawn = resolve('is_withdrawn')
    l_0_t = resolve('t')
    l_0_refs = resolve('refs')
    l_0_mark = resolve('mark')
    l_0_section = resolve('section')
    try:
        t_1 = environment.filters['heading']
    except KeyError:
        @internalcode
        def t_1(*unused):
            raise TemplateRuntimeError("No filter named 'heading' found.")
    pass
    yield str(environment.finalize((undefined(name='frontmatter') if l_0_frontmatter is missing else l_0_frontmatter)))
    yield '\n\n# '
    yield str(environment.finalize(environment.getattr((undefined(name='item') if l_0_item is missing else l_0_item), 'id')))
    yield ': '
    yield str(environment.finalize(t_1(environment.getattr((undefined(name='item') if l_0_item is missing else l_0_item), 'title'))))
    yield '\n\n'
    if (undefined(name='is_withdrawn') if l_0_is_withdrawn is missing else l_0_is_withdrawn):
        pass
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'withdrawn_note')))
        yield '\n\n'
    yield '- '
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'traces_to')))
    yield ': '
    yield str(environment.finalize(context.call((undefined(name='refs') if l_0_refs is missing else l_0_refs), environment.getattr((undefined(name='item') if l_0_item is missing else l_0_item), 'requirements'))))
    yield '\n- '
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'source')))
    yield ':'
    if (environment.getattr((undefined(name='item') if l_0_item is missing else l_0_item), 'source') == 'proposed'):
        pass
        yield str(environment.finalize(context.call((undefined(name='mark') if l_0_mark is missing else l_0_mark), (undefined(name='item') if l_0_item is missing else l_0_item))))
    else:
        pass
        yield ' '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), environment.getattr((undefined(name='item') if l_0_item is missing else l_0_item), 'source'))))
        if environment.getattr((undefined(name='item') if l_0_item is missing else l_0_item), 'reason'):
            pass
            yield ' ('
            yield str(environment.finalize(environment.getattr((undefined(name='item') if l_0_item is missing else l_0_item), 'reason')))
            yield ')'
    yield '\n'
    yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'context')))
    yield '\n\n'
    yield str(environment.finalize(environment.getattr((undefined(name='item') if l_0_item is missing else l_0_item), 'context')))
    yield '\n\n'
    yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'decision')))
    yield '\n\n'
    yield str(environment.finalize(environment.getattr((undefined(name='item') if l_0_item is missing else l_0_item), 'decision')))
    yield '\n\n'
    yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'alternatives')))
    yield '\n\n'
    t_2 = 1
    for l_1_other in environment.getattr((undefined(name='item') if l_0_item is missing else l_0_item), 'alternatives'):
        _loop_vars = {}
        pass
        yield '### '
        yield str(environment.finalize(t_1(environment.getattr(l_1_other, 'name'))))
        yield '\n\n'
        for l_2_pro in environment.getattr(l_1_other, 'pros'):
            _loop_vars = {}
            pass
            yield '- '
            yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'pros', _loop_vars=_loop_vars)))
            yield ': '
            yield str(environment.finalize(l_2_pro))
            yield '\n'
        l_2_pro = missing
        for l_2_con in environment.getattr(l_1_other, 'cons'):
            _loop_vars = {}
            pass
            yield '- '
            yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'cons', _loop_vars=_loop_vars)))
            yield ': '
            yield str(environment.finalize(l_2_con))
            yield '\n'
        l_2_con = missing
        yield '\n'
        t_2 = 0
    l_1_other = missing
    if t_2:
        l_1_nothing = resolve('nothing')
        pass
        yield str(environment.finalize(context.call((undefined(name='nothing') if l_1_nothing is missing else l_1_nothing), 'alternatives')))
        yield '\n\n'
        l_1_nothing = missing
    yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'consequences')))
    yield '\n\n'
    t_3 = 1
    for l_1_consequence in environment.getattr((undefined(name='item') if l_0_item is missing else l_0_item), 'consequences'):
        _loop_vars = {}
        pass
        yield '- '
        yield str(environment.finalize(l_1_consequence))
        yield '\n'
        t_3 = 0
    l_1_consequence = missing
    if t_3:
        l_1_nothing = resolve('nothing')
        pass
        yield str(environment.finalize(context.call((undefined(name='nothing') if l_1_nothing is missing else l_1_nothing), 'consequences')))
        yield '\n'
        l_1_nothing = missing

blocks = {}
debug_info = '1=24&3=26&5=30&6=32&9=35&10=39&12=54&14=56&16=58&18=60&20=62&22=65&23=69&25=71&26=75&28=80&29=84&33=95&36=98&38=101&39=105&41=112'
