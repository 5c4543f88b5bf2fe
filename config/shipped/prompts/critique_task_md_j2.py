from jinja2.runtime import LoopContext, Macro, Markup, Namespace, TemplateNotFound, TemplateReference, TemplateRuntimeError, Undefined, escape, identity, internalcode, markup_join, missing, str_join
name = 'critique_task.md.j2'

def root(context, missing=missing, environment=environment):
    resolve = context.resolve_or_missing
    undefined = environment.undefined
    concat = environment.concat
    cond_expr_undefined = Undefined
    if 0: yield None
    l_0_instructions = resolve('instructions')
    l_0_views = resolve('views')
    l_0_artifact = resolve('artifact')
    l_0_round = resolve('round')
    l_0_focus = resolve('focus')
    l_0_findings = resolve('findings')
    l_0_coverage = resolve('coverage')
    l_0_risk = resolve('risk')
    try:
        t_1 = environment.filters['length']
    except KeyError:
        @internalcode
        def t_1(*unused):
            raise TemplateRuntimeError("No filter named 'length' found.")
    pass
    yield '# Who you are\n\n'
    yield str((undefined(name='instructions') if l_0_instructions is missing else l_0_instructions))
    yield '\n\n# Your task: read one artifact critically\n\n'
    if (t_1((undefined(name='views') if l_0_views is missing else l_0_views)) == 1):
        pass
        yield 'You speak as '
        yield str(environment.getattr(environment.getitem((undefined(name='views') if l_0_views is missing else l_0_views), 0), 'label'))
        yield '. Look at: '
        yield str(environment.getattr(environment.getitem((undefined(name='views') if l_0_views is missing else l_0_views), 0), 'focus'))
        yield '.\n'
    else:
        pass
        yield 'You speak for '
        yield str(t_1((undefined(name='views') if l_0_views is missing else l_0_views)))
        yield ' people, one after the other, and each has an opinion of their own. Give the critique of each in the field\nof that name, and judge from that place alone:\n\n'
        for l_1_view in (undefined(name='views') if l_0_views is missing else l_0_views):
            _loop_vars = {}
            pass
            yield '- `'
            yield str(environment.getattr(l_1_view, 'name'))
            yield '`: '
            yield str(environment.getattr(l_1_view, 'label'))
            yield '. Look at: '
            yield str(environment.getattr(l_1_view, 'focus'))
            yield '.\n'
        l_1_view = missing
        yield '\n'
    yield 'The artifact is '
    yield str((undefined(name='artifact') if l_0_artifact is missing else l_0_artifact))
    yield '. The round is '
    yield str((undefined(name='round') if l_0_round is missing else l_0_round))
    yield '; what matters now: '
    yield str((undefined(name='focus') if l_0_focus is missing else l_0_focus))
    yield '.\n\nRate honestly from 1 (unusable) to 5 (nothing to add). A rating of 1 or 2 is for a fault of the artifact against its inputs, not for\na short request. Name strengths, weaknesses with their severity (`critical` stops the work), and what to do about them. Be specific:\nquote the words of the artifact that you judge, or name the identifier or the heading. A rating that points to no place in the\nartifact is sent back.\n'
    if (undefined(name='findings') if l_0_findings is missing else l_0_findings):
        pass
        yield 'The findings headed "'
        yield str((undefined(name='findings') if l_0_findings is missing else l_0_findings))
        yield '" were made by rules. Judge each: is it a fault, and how grave?\n'
    if (undefined(name='coverage') if l_0_coverage is missing else l_0_coverage):
        pass
        yield 'List in `missing_requirements`'
        yield str((undefined(name='coverage') if l_0_coverage is missing else l_0_coverage))
        yield ' each requirement of the discovery that the artifact does not carry, quoted word for word.\n'
    if (undefined(name='risk') if l_0_risk is missing else l_0_risk):
        pass
        yield 'Give a `risk_level` and the `risks` with likelihood, impact and mitigation'
        yield str((undefined(name='risk') if l_0_risk is missing else l_0_risk))
        yield '.\n'
    yield '\n'

blocks = {}
debug_info = '3=26&7=28&8=31&10=38&13=40&14=44&17=53&23=59&24=62&26=64&27=67&29=69&30=72'
