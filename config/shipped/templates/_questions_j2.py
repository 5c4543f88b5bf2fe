from jinja2.runtime import LoopContext, Macro, Markup, Namespace, TemplateNotFound, TemplateReference, TemplateRuntimeError, Undefined, escape, identity, internalcode, markup_join, missing, str_join
name = '_questions.j2'

def root(context, missing=missing, environment=environment):
    resolve = context.resolve_or_missing
    undefined = environment.undefined
    concat = environment.concat
    cond_expr_undefined = Undefined
    if 0: yield None
    l_0_section = resolve('section')
    l_0_questions = resolve('questions')
    pass
    yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'open_questions')))
    yield '\n\n'
    t_1 = 1
    for l_1_question in (undefined(name='questions') if l_0_questions is missing else l_0_questions):
        _loop_vars = {}
        pass
        yield '- '
        yield str(environment.finalize(l_1_question))
        yield '\n'
        t_1 = 0
    l_1_question = missing
    if t_1:
        l_1_t = resolve('t')
        pass
        yield str(environment.finalize(context.call((undefined(name='t') if l_1_t is missing else l_1_t), 'none_found')))
        yield '\n'
        l_1_t = missing

blocks = {}
debug_info = '1=13&3=16&4=20&6=27'
