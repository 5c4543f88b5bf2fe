from jinja2.runtime import LoopContext, Macro, Markup, Namespace, TemplateNotFound, TemplateReference, TemplateRuntimeError, Undefined, escape, identity, internalcode, markup_join, missing, str_join
name = '_entities.j2'

def root(context, missing=missing, environment=environment):
    resolve = context.resolve_or_missing
    undefined = environment.undefined
    concat = environment.concat
    cond_expr_undefined = Undefined
    if 0: yield None
    l_0_entities = resolve('entities')
    try:
        t_1 = environment.filters['heading']
    except KeyError:
        @internalcode
        def t_1(*unused):
            raise TemplateRuntimeError("No filter named 'heading' found.")
    pass
    for l_1_entity in (undefined(name='entities') if l_0_entities is missing else l_0_entities):
        l_1_mark = resolve('mark')
        l_1_t = resolve('t')
        l_1_listed = resolve('listed')
        _loop_vars = {}
        pass
        yield '### '
        yield str(environment.finalize(t_1(environment.getattr(l_1_entity, 'name'))))
        yield '\n\n'
        yield str(environment.finalize(environment.getattr(l_1_entity, 'description')))
        yield str(environment.finalize(context.call((undefined(name='mark') if l_1_mark is missing else l_1_mark), l_1_entity, _loop_vars=_loop_vars)))
        yield '\n\n'
        if environment.getattr(l_1_entity, 'attributes'):
            pass
            yield '- '
            yield str(environment.finalize(context.call((undefined(name='t') if l_1_t is missing else l_1_t), 'attributes', _loop_vars=_loop_vars)))
            yield ': '
            yield str(environment.finalize(context.call((undefined(name='listed') if l_1_listed is missing else l_1_listed), environment.getattr(l_1_entity, 'attributes'), _loop_vars=_loop_vars)))
            yield '\n'
        if environment.getattr(l_1_entity, 'relations'):
            pass
            yield '- '
            yield str(environment.finalize(context.call((undefined(name='t') if l_1_t is missing else l_1_t), 'relations', _loop_vars=_loop_vars)))
            yield ': '
            yield str(environment.finalize(context.call((undefined(name='listed') if l_1_listed is missing else l_1_listed), environment.getattr(l_1_entity, 'relations'), _loop_vars=_loop_vars)))
            yield '\n'
        yield '\n'
    l_1_entity = l_1_mark = l_1_t = l_1_listed = missing

blocks = {}
debug_info = '1=18&2=25&4=27&6=30&7=33&9=37&10=40'
