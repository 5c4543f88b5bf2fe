from jinja2.runtime import LoopContext, Macro, Markup, Namespace, TemplateNotFound, TemplateReference, TemplateRuntimeError, Undefined, escape, identity, internalcode, markup_join, missing, str_join
name = 'frontend_audit.md.j2'

def root(context, missing=missing, environment=environment):
    resolve = context.resolve_or_missing
    undefined = environment.undefined
    concat = environment.concat
    cond_expr_undefined = Undefined
    if 0: yield None
    l_0_frontmatter = resolve('frontmatter')
    l_0_t = resolve('t')
    l_0_doc = resolve('doc')
    l_0_written_by = resolve('written_by')
    l_0_named = resolve('named')
    l_0_listed = resolve('listed')
    l_0_section = resolve('section')
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
        t_3 = environment.filters['length']
    except KeyError:
        @internalcode
        def t_3(*unused):
            raise TemplateRuntimeError("No filter named 'length' found.")
    try:
        t_4 = environment.tests['none']
    except KeyError:
        @internalcode
        def t_4(*unused):
            raise TemplateRuntimeError("No test named 'none' found.")
    pass
    yield str(environment.finalize((undefined(name='frontmatter') if l_0_frontmatter is missing else l_0_frontmatter)))
    yield '\n\n# '
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'audit_title', task=environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'task'), round=environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'round'))))
    yield '\n\n'
    if ((not environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'without_agent')) and environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'agents')):
        pass
        yield str(environment.finalize((undefined(name='written_by') if l_0_written_by is missing else l_0_written_by)))
        yield '\n\n'
    yield '**'
    yield str(environment.finalize(context.call((undefined(name='named') if l_0_named is missing else l_0_named), environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'verdict'))))
    yield '** – '
    l_1_loop = missing
    t_5 = 1
    for (l_1_severity, l_1_count), l_1_loop in LoopContext(context.call(environment.getattr(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'counts'), 'items')), undefined):
        _loop_vars = {}
        pass
        yield str(environment.finalize(context.call((undefined(name='named') if l_0_named is missing else l_0_named), l_1_severity, _loop_vars=_loop_vars)))
        yield ': '
        yield str(environment.finalize(l_1_count))
        if (not environment.getattr(l_1_loop, 'last')):
            pass
            yield ', '
        t_5 = 0
    l_1_loop = l_1_severity = l_1_count = missing
    if t_5:
        pass
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'none_found')))
    yield '\n\n'
    if environment.getattr(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'subject'), 'files'):
        pass
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'audit_subject', files=t_3(environment.getattr(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'subject'), 'files')), base=environment.getattr(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'short'), 'base'), head=environment.getattr(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'short'), 'head'), overall=environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'overall'))))
        yield '\n'
    else:
        pass
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'audit_nothing')))
        yield '\n'
    if environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'without_agent'):
        pass
        yield '\n'
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'audit_without_agent', why=environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'without_agent'))))
        yield '\n'
    if environment.getattr(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'subject'), 'files'):
        pass
        yield '\n'
        if environment.getattr(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'browser'), 'why_not'):
            pass
            yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'audit_no_browser', why=environment.getattr(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'browser'), 'why_not'))))
            yield '\n'
        else:
            pass
            yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'audit_browser', version=environment.getattr(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'browser'), 'version'), pages=context.call((undefined(name='listed') if l_0_listed is missing else l_0_listed), environment.getattr(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'browser'), 'pages')), before=environment.getattr(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'browser'), 'before'))))
            yield '\n'
            for l_1_note in environment.getattr(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'browser'), 'notes'):
                _loop_vars = {}
                pass
                yield '\n'
                yield str(environment.finalize(l_1_note))
                yield '\n'
            l_1_note = missing
    yield '\n'
    yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'audit_scores')))
    yield '\n\n'
    if (not environment.getattr(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'tokens'), 'file')):
        pass
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'audit_no_tokens')))
        yield '\n\n'
    yield '| '
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'audit_dimension')))
    yield ' | '
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'audit_points')))
    yield ' | '
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'audit_weight')))
    yield ' |\n| --- | ---: | ---: |\n'
    for (l_1_name, l_1_points) in context.call(environment.getattr(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'scores'), 'items')):
        _loop_vars = {}
        pass
        yield '| '
        yield str(environment.finalize(t_1(context.call((undefined(name='named') if l_0_named is missing else l_0_named), l_1_name, _loop_vars=_loop_vars))))
        yield ' | '
        if t_4(l_1_points):
            pass
            yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'audit_untold', _loop_vars=_loop_vars)))
        else:
            pass
            yield str(environment.finalize(l_1_points))
        yield ' | '
        yield str(environment.finalize(environment.getitem(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'weights'), l_1_name)))
        yield ' |\n'
    l_1_name = l_1_points = missing
    yield '\n'
    yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'findings')))
    yield '\n\n'
    t_6 = 1
    for l_1_group in environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'groups'):
        _loop_vars = {}
        pass
        yield '### '
        yield str(environment.finalize(context.call((undefined(name='named') if l_0_named is missing else l_0_named), environment.getattr(l_1_group, 'severity'), _loop_vars=_loop_vars)))
        yield '\n\n'
        for l_2_each in environment.getattr(l_1_group, 'findings'):
            _loop_vars = {}
            pass
            yield '- '
            if environment.getattr(l_2_each, 'path'):
                pass
                yield str(environment.finalize(t_2(str_join((environment.getattr(l_2_each, 'path'), (str_join((':', environment.getattr(l_2_each, 'line'), )) if environment.getattr(l_2_each, 'line') else ''), )))))
                yield ' '
            yield str(environment.finalize(environment.getattr(l_2_each, 'text')))
            yield ' ('
            yield str(environment.finalize(context.call((undefined(name='named') if l_0_named is missing else l_0_named), environment.getattr(l_2_each, 'check'), _loop_vars=_loop_vars)))
            yield ', '
            yield str(environment.finalize(t_2(environment.getattr(l_2_each, 'rule'))))
            if (environment.getattr(l_2_each, 'source') == 'agent'):
                pass
                yield ', '
                yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'by_agent', _loop_vars=_loop_vars)))
            yield ')\n'
            if environment.getattr(l_2_each, 'quote'):
                pass
                yield '  '
                yield str(environment.finalize(t_2(environment.getattr(l_2_each, 'quote'))))
                yield '\n'
            if environment.getattr(l_2_each, 'do'):
                pass
                yield '  → '
                yield str(environment.finalize(environment.getattr(l_2_each, 'do')))
                if environment.getattr(l_2_each, 'dont'):
                    pass
                    yield ' ('
                    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'audit_dont', dont=environment.getattr(l_2_each, 'dont'), _loop_vars=_loop_vars)))
                    yield ')'
                yield '\n'
        l_2_each = missing
        yield '\n'
        t_6 = 0
    l_1_group = missing
    if t_6:
        pass
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'none_found')))
        yield '\n'
    if environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'hidden'):
        pass
        yield '\n'
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'review_hidden', count=environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'hidden'))))
        yield '\n'
    if environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'notes'):
        pass
        yield '\n'
        yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'review_unverified')))
        yield '\n\n'
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'review_unverified_note')))
        yield '\n\n'
        for l_1_each in environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'notes'):
            _loop_vars = {}
            pass
            yield '- '
            if environment.getattr(l_1_each, 'path'):
                pass
                yield str(environment.finalize(t_2(str_join((environment.getattr(l_1_each, 'path'), (str_join((':', environment.getattr(l_1_each, 'line'), )) if environment.getattr(l_1_each, 'line') else ''), )))))
                yield ' '
            yield str(environment.finalize(environment.getattr(l_1_each, 'text')))
            yield ' ('
            yield str(environment.finalize(environment.getattr(l_1_each, 'why')))
            yield ')\n'
        l_1_each = missing
    yield '\n'
    yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'audit_checks')))
    yield '\n\n| '
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'audit_check')))
    yield ' | '
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'audit_looked_at')))
    yield ' | '
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'audit_found')))
    yield ' |\n| --- | ---: | ---: |\n'
    for l_1_each in environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'checks'):
        _loop_vars = {}
        pass
        yield '| '
        yield str(environment.finalize(t_1(environment.getattr(l_1_each, 'id'))))
        yield ' | '
        if environment.getattr(l_1_each, 'why_not'):
            pass
            yield str(environment.finalize(t_1(environment.getattr(l_1_each, 'why_not'))))
        else:
            pass
            yield str(environment.finalize(environment.getattr(l_1_each, 'looked_at')))
        yield ' | '
        yield str(environment.finalize(environment.getattr(l_1_each, 'found')))
        yield ' |\n'
    l_1_each = missing
    if environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'pairs'):
        pass
        yield '\n'
        yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'audit_screens')))
        yield '\n\n| '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'audit_after')))
        yield ' | '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'audit_before')))
        yield ' |\n| --- | --- |\n'
        for l_1_each in environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'pairs'):
            l_1_file_link = resolve('file_link')
            _loop_vars = {}
            pass
            yield '| '
            yield str(environment.finalize(context.call((undefined(name='file_link') if l_1_file_link is missing else l_1_file_link), environment.getattr(l_1_each, 'after'), _loop_vars=_loop_vars)))
            yield ' | '
            if environment.getattr(l_1_each, 'before'):
                pass
                yield str(environment.finalize(context.call((undefined(name='file_link') if l_1_file_link is missing else l_1_file_link), environment.getattr(l_1_each, 'before'), _loop_vars=_loop_vars)))
            else:
                pass
                yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'audit_none_before', _loop_vars=_loop_vars)))
            yield ' |\n'
        l_1_each = l_1_file_link = missing

blocks = {}
debug_info = '1=42&3=44&5=46&6=48&9=51&12=70&13=72&15=76&17=78&19=81&21=83&23=86&24=88&26=92&27=94&29=98&34=102&36=104&37=106&40=109&42=115&43=119&46=132&48=135&49=139&51=141&52=145&53=159&54=162&56=164&57=167&63=180&65=182&67=185&69=187&71=190&73=192&75=194&76=198&80=208&82=210&84=216&85=220&87=232&89=235&91=237&93=241&94=246'
