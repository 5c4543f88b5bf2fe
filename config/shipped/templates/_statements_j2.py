from jinja2.runtime import LoopContext, Macro, Markup, Namespace, TemplateNotFound, TemplateReference, TemplateRuntimeError, Undefined, escape, identity, internalcode, markup_join, missing, str_join
name = '_statements.j2'

def root(context, missing=missing, environment=environment):
    resolve = context.resolve_or_missing
    undefined = environment.undefined
    concat = environment.concat
    cond_expr_undefined = Undefined
    if 0: yield None
    l_0_statements = resolve('statements')
    pass
    for l_1_entry in (undefined(name='statements') if l_0_statements is missing else l_0_statements):
        l_1_mark = resolve('mark')
        _loop_vars = {}
        pass
        yield '- '
        yield str(environment.finalize(environment.getattr(l_1_entry, 'text')))
        yield str(environment.finalize(context.call((undefined(name='mark') if l_1_mark is missing else l_1_mark), l_1_entry, _loop_vars=_loop_vars)))
        yield '\n'
    l_1_entry = l_1_mark = missing

blocks = {}
debug_info = '1=12&2=17'
