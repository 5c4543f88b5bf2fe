from jinja2.runtime import LoopContext, Macro, Markup, Namespace, TemplateNotFound, TemplateReference, TemplateRuntimeError, Undefined, escape, identity, internalcode, markup_join, missing, str_join
name = 'document_task.md.j2'

def root(context, missing=missing, environment=environment):
    resolve = context.resolve_or_missing
    undefined = environment.undefined
    concat = environment.concat
    cond_expr_undefined = Undefined
    if 0: yield None
    l_0_instructions = resolve('instructions')
    l_0_task = resolve('task')
    l_0_goal = resolve('goal')
    l_0_feedback = resolve('feedback')
    l_0_improve = resolve('improve')
    pass
    yield '# Who you are\n\n'
    yield str((undefined(name='instructions') if l_0_instructions is missing else l_0_instructions))
    yield '\n\n# Your task: '
    yield str((undefined(name='task') if l_0_task is missing else l_0_task))
    yield '\n\n'
    yield str((undefined(name='goal') if l_0_goal is missing else l_0_goal))
    yield '\n'
    if (undefined(name='feedback') if l_0_feedback is missing else l_0_feedback):
        pass
        yield 'Answer each line of the material headed "To be answered in this version".\n'
    if (undefined(name='improve') if l_0_improve is missing else l_0_improve):
        pass
        yield 'Raise the '
        yield str(environment.getattr((undefined(name='improve') if l_0_improve is missing else l_0_improve), 'dimension'))
        yield ' of this document to at least '
        yield str(environment.getattr((undefined(name='improve') if l_0_improve is missing else l_0_improve), 'target'))
        yield ' percent.\n'
    yield '\n'

blocks = {}
debug_info = '3=17&5=19&7=21&8=23&11=26&12=29'
