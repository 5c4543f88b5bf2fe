from jinja2.runtime import LoopContext, Macro, Markup, Namespace, TemplateNotFound, TemplateReference, TemplateRuntimeError, Undefined, escape, identity, internalcode, markup_join, missing, str_join
name = '_withdrawn.j2'

def root(context, missing=missing, environment=environment):
    resolve = context.resolve_or_missing
    undefined = environment.undefined
    concat = environment.concat
    cond_expr_undefined = Undefined
    if 0: yield None
    l_0_withdrawn = resolve('withdrawn')
    l_0_section = resolve('section')
    try:
        t_1 = environment.tests['defined']
    except KeyError:
        @internalcode
        def t_1(*unused):
            raise TemplateRuntimeError("No test named 'defined' found.")
    pass
    if (undefined(name='withdrawn') if l_0_withdrawn is missing else l_0_withdrawn):
        pass
        yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'withdrawn')))
        yield '\n\n'
        for l_1_entry in (undefined(name='withdrawn') if l_0_withdrawn is missing else l_0_withdrawn):
            l_1_ref = resolve('ref')
            _loop_vars = {}
            pass
            yield '- '
            yield str(environment.finalize(context.call((undefined(name='ref') if l_1_ref is missing else l_1_ref), environment.getattr(l_1_entry, 'id'), _loop_vars=_loop_vars)))
            yield ' '
            yield str(environment.finalize((environment.getattr(l_1_entry, 'title') if t_1(environment.getattr(l_1_entry, 'title')) else environment.getattr(l_1_entry, 'text'))))
            yield '\n'
        l_1_entry = l_1_ref = missing

blocks = {}
debug_info = '1=19&2=21&4=23&5=28'
