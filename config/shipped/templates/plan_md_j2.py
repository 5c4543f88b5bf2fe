from jinja2.runtime import LoopContext, Macro, Markup, Namespace, TemplateNotFound, TemplateReference, TemplateRuntimeError, Undefined, escape, identity, internalcode, markup_join, missing, str_join
name = 'plan.md.j2'

def root(context, missing=missing, environment=environment):
    resolve = context.resolve_or_missing
    undefined = environment.undefined
    concat = environment.concat
    cond_expr_undefined = Undefined
    if 0: yield None
    l_0_frontmatter = resolve('frontmatter')
    l_0_t = resolve('t')
    l_0_name = resolve('name')
    l_0_written_by = resolve('written_by')
    l_0_plan = resolve('plan')
    try:
        t_1 = environment.filters['cell']
    except KeyError:
        @internalcode
        def t_1(*unused):
            raise TemplateRuntimeError("No filter named 'cell' found.")
    try:
        t_2 = environment.filters['code']
    except KeyError:
        @internalcode
        def t_2(*unused):
            raise TemplateRuntimeError("No filter named 'code' found.")
    try:
        t_3 = environment.filters['heading']
    except KeyError:
        @internalcode
        def t_3(*unused):
            raise TemplateRuntimeError("No filter named 'heading' found.")
    try:
        t_4 = environment.filters['paragraphs']
    except KeyError:
        @internalcode
        def t_4(*unused):
            raise TemplateRuntimeError("No filter named 'paragraphs' found.")
    pass
    yield str(environment.finalize((undefined(name='frontmatter') if l_0_frontmatter is missing else l_0_frontmatter)))
    yield '\n\n# '
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'plan_title', title=(undefined(name='name') if l_0_name is missing else l_0_name))))
    yield '\n\n'
    yield str(environment.finalize((undefined(name='written_by') if l_0_written_by is missing else l_0_written_by)))
    yield '\n\n'
    yield str(environment.finalize(t_4(environment.getattr((undefined(name='plan') if l_0_plan is missing else l_0_plan), 'summary'))))
    yield '\n\n'
    yield str(environment.finalize(t_4(environment.getattr((undefined(name='plan') if l_0_plan is missing else l_0_plan), 'approach'))))
    yield '\n\n'
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'plan_facts', level=environment.getattr(environment.getattr((undefined(name='plan') if l_0_plan is missing else l_0_plan), 'complexity'), 'level'), score=environment.getattr(environment.getattr((undefined(name='plan') if l_0_plan is missing else l_0_plan), 'complexity'), 'score'), base=environment.getattr((undefined(name='plan') if l_0_plan is missing else l_0_plan), 'base_commit')[:12])))
    yield '\n\n## '
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'plan_tasks')))
    yield '\n\n| '
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'id')))
    yield ' | '
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'title')))
    yield ' | '
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'plan_waits')))
    yield ' | '
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'plan_size')))
    yield ' | '
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'requirements')))
    yield ' |\n| --- | --- | --- | --- | --- |\n'
    for l_1_task in environment.getattr((undefined(name='plan') if l_0_plan is missing else l_0_plan), 'tasks'):
        l_1_listed = resolve('listed')
        l_1_refs = resolve('refs')
        _loop_vars = {}
        pass
        yield '| '
        yield str(environment.finalize(environment.getattr(l_1_task, 'id')))
        yield ' | '
        yield str(environment.finalize(t_1(environment.getattr(l_1_task, 'title'))))
        yield ' | '
        yield str(environment.finalize(t_1(context.call((undefined(name='listed') if l_1_listed is missing else l_1_listed), environment.getattr(l_1_task, 'waits_for'), _loop_vars=_loop_vars))))
        yield ' | '
        yield str(environment.finalize(environment.getattr(l_1_task, 'size')))
        yield ' | '
        yield str(environment.finalize(context.call((undefined(name='refs') if l_1_refs is missing else l_1_refs), environment.getattr(l_1_task, 'refs'), _loop_vars=_loop_vars)))
        yield ' |\n'
    l_1_task = l_1_listed = l_1_refs = missing
    yield '\n'
    for l_1_task in environment.getattr((undefined(name='plan') if l_0_plan is missing else l_0_plan), 'tasks'):
        _loop_vars = {}
        pass
        yield '### '
        yield str(environment.finalize(environment.getattr(l_1_task, 'id')))
        yield ': '
        yield str(environment.finalize(t_3(environment.getattr(l_1_task, 'title'))))
        yield '\n\n'
        yield str(environment.finalize(t_4(environment.getattr(l_1_task, 'description'))))
        yield '\n\n'
        if environment.getattr(l_1_task, 'files'):
            pass
            yield '| '
            yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'plan_file', _loop_vars=_loop_vars)))
            yield ' | '
            yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'plan_action', _loop_vars=_loop_vars)))
            yield ' | '
            yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'plan_change', _loop_vars=_loop_vars)))
            yield ' |\n| --- | --- | --- |\n'
            for l_2_file in environment.getattr(l_1_task, 'files'):
                _loop_vars = {}
                pass
                yield '| '
                yield str(environment.finalize(t_2(environment.getattr(l_2_file, 'path'))))
                yield ' | '
                yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), str_join(('plan_', environment.getattr(l_2_file, 'action'), )), _loop_vars=_loop_vars)))
                yield ' | '
                yield str(environment.finalize(t_1(environment.getattr(l_2_file, 'change'))))
                yield ' |\n'
            l_2_file = missing
        else:
            pass
            yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'plan_no_files', _loop_vars=_loop_vars)))
            yield '\n'
        yield '\n'
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'criteria', _loop_vars=_loop_vars)))
        yield ':\n\n'
        for l_2_criterion in environment.getattr(l_1_task, 'criteria'):
            _loop_vars = {}
            pass
            yield '- '
            yield str(environment.finalize(environment.getattr(l_2_criterion, 'id')))
            yield ': '
            yield str(environment.finalize(environment.getattr(l_2_criterion, 'text')))
            yield '\n'
        l_2_criterion = missing
        yield '\n'
        for l_2_edge in environment.getattr(l_1_task, 'depends_on'):
            _loop_vars = {}
            pass
            if (environment.getattr(l_2_edge, 'source') == 'overlap'):
                pass
                yield '- '
                yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'plan_overlap', id=environment.getattr(l_2_edge, 'id'), _loop_vars=_loop_vars)))
                yield '\n'
        l_2_edge = missing
        for l_2_test in environment.getattr(l_1_task, 'tests_may_change'):
            _loop_vars = {}
            pass
            yield '- '
            yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'plan_test_changes', path=environment.getattr(l_2_test, 'path'), reason=environment.getattr(l_2_test, 'reason'), _loop_vars=_loop_vars)))
            yield '\n'
        l_2_test = missing
        for l_2_package in environment.getattr(l_1_task, 'new_dependencies'):
            _loop_vars = {}
            pass
            yield '- '
            yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'plan_package', name=l_2_package, _loop_vars=_loop_vars)))
            yield '\n'
        l_2_package = missing
        yield '\n'
    l_1_task = missing
    if environment.getattr((undefined(name='plan') if l_0_plan is missing else l_0_plan), 'decisions'):
        pass
        yield '## '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'plan_decisions')))
        yield '\n\n'
        for l_1_each in environment.getattr((undefined(name='plan') if l_0_plan is missing else l_0_plan), 'decisions'):
            l_1_ref = resolve('ref')
            _loop_vars = {}
            pass
            yield '- '
            yield str(environment.finalize(environment.getattr(l_1_each, 'decision')))
            if environment.getattr(l_1_each, 'rationale'):
                pass
                yield ': '
                yield str(environment.finalize(environment.getattr(l_1_each, 'rationale')))
            if environment.getattr(l_1_each, 'adr'):
                pass
                yield ' ('
                yield str(environment.finalize(context.call((undefined(name='ref') if l_1_ref is missing else l_1_ref), environment.getattr(l_1_each, 'adr'), _loop_vars=_loop_vars)))
                yield ')'
            yield '\n'
        l_1_each = l_1_ref = missing
    if environment.getattr((undefined(name='plan') if l_0_plan is missing else l_0_plan), 'uncovered'):
        pass
        yield '## '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'plan_uncovered')))
        yield '\n\n'
        for l_1_each in environment.getattr((undefined(name='plan') if l_0_plan is missing else l_0_plan), 'uncovered'):
            l_1_ref = resolve('ref')
            _loop_vars = {}
            pass
            yield '- '
            yield str(environment.finalize(context.call((undefined(name='ref') if l_1_ref is missing else l_1_ref), environment.getattr(l_1_each, 'id'), _loop_vars=_loop_vars)))
            yield ': '
            yield str(environment.finalize(environment.getattr(l_1_each, 'reason')))
            yield '\n'
        l_1_each = l_1_ref = missing
    if environment.getattr((undefined(name='plan') if l_0_plan is missing else l_0_plan), 'risks'):
        pass
        yield '## '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'plan_risks')))
        yield '\n\n'
        for l_1_risk in environment.getattr((undefined(name='plan') if l_0_plan is missing else l_0_plan), 'risks'):
            _loop_vars = {}
            pass
            yield '- '
            yield str(environment.finalize(l_1_risk))
            yield '\n'
        l_1_risk = missing
    yield '## '
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'plan_tests')))
    yield '\n\n'
    t_5 = 1
    for l_1_command in environment.getattr((undefined(name='plan') if l_0_plan is missing else l_0_plan), 'test_commands'):
        _loop_vars = {}
        pass
        yield '- '
        yield str(environment.finalize(t_2(l_1_command)))
        yield '\n'
        t_5 = 0
    l_1_command = missing
    if t_5:
        pass
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'plan_no_tests')))
        yield '\n'
    yield '\n'
    if environment.getattr((undefined(name='plan') if l_0_plan is missing else l_0_plan), 'notes'):
        pass
        yield '## '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'plan_notes')))
        yield '\n\n'
        for l_1_note in environment.getattr((undefined(name='plan') if l_0_plan is missing else l_0_plan), 'notes'):
            _loop_vars = {}
            pass
            yield '- '
            yield str(environment.finalize(l_1_note))
            yield '\n'
        l_1_note = missing

blocks = {}
debug_info = '1=40&3=42&5=44&7=46&9=48&11=50&13=52&15=54&17=64&18=70&21=82&22=86&24=90&26=92&27=95&29=101&30=105&33=114&36=117&38=119&39=123&42=129&43=132&44=135&47=138&48=142&50=145&51=149&55=154&56=157&58=159&59=164&63=176&64=179&66=181&67=186&70=191&71=194&73=196&74=200&77=204&79=207&80=211&82=217&85=220&86=223&88=225&89=229'
