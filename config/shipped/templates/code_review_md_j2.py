from jinja2.runtime import LoopContext, Macro, Markup, Namespace, TemplateNotFound, TemplateReference, TemplateRuntimeError, Undefined, escape, identity, internalcode, markup_join, missing, str_join
name = 'code_review.md.j2'

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
    l_0_section = resolve('section')
    try:
        t_1 = environment.filters['code']
    except KeyError:
        @internalcode
        def t_1(*unused):
            raise TemplateRuntimeError("No filter named 'code' found.")
    try:
        t_2 = environment.filters['length']
    except KeyError:
        @internalcode
        def t_2(*unused):
            raise TemplateRuntimeError("No filter named 'length' found.")
    try:
        t_3 = environment.tests['none']
    except KeyError:
        @internalcode
        def t_3(*unused):
            raise TemplateRuntimeError("No test named 'none' found.")
    pass
    yield str(environment.finalize((undefined(name='frontmatter') if l_0_frontmatter is missing else l_0_frontmatter)))
    yield '\n\n# '
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'code_review_title', task=environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'task'))))
    yield '\n\n'
    if (not environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'without_agent')):
        pass
        yield str(environment.finalize((undefined(name='written_by') if l_0_written_by is missing else l_0_written_by)))
        yield '\n\n'
    yield '**'
    yield str(environment.finalize(context.call((undefined(name='named') if l_0_named is missing else l_0_named), environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'verdict'))))
    yield '** – '
    l_1_loop = missing
    t_4 = 1
    for (l_1_severity, l_1_count), l_1_loop in LoopContext(context.call(environment.getattr(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'counts'), 'items')), undefined):
        _loop_vars = {}
        pass
        yield str(environment.finalize(context.call((undefined(name='named') if l_0_named is missing else l_0_named), l_1_severity, _loop_vars=_loop_vars)))
        yield ': '
        yield str(environment.finalize(l_1_count))
        if (not environment.getattr(l_1_loop, 'last')):
            pass
            yield ', '
        t_4 = 0
    l_1_loop = l_1_severity = l_1_count = missing
    if t_4:
        pass
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'review_no_findings')))
    yield '\n\n'
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'review_subject', files=environment.getattr(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'subject'), 'files'), lines=environment.getattr(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'subject'), 'added_lines'), base=environment.getattr(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'short'), 'base'), head=environment.getattr(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'short'), 'head'))))
    yield '\n'
    if environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'is_delta'):
        pass
        yield '\n'
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'review_since', since=environment.getattr(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'short'), 'since'))))
        yield '\n'
    if environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'without_agent'):
        pass
        yield '\n'
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'review_without_agent', why=environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'without_agent'))))
        yield '\n'
    if environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'tests'):
        pass
        yield '\n'
        yield str(environment.finalize((context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'review_tests', verdict=context.call((undefined(name='named') if l_0_named is missing else l_0_named), environment.getattr(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'tests'), 'verdict')), passed=environment.getattr(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'tests'), 'passed'), failed=environment.getattr(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'tests'), 'failed')) if (not t_3(environment.getattr(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'tests'), 'passed'))) else context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'review_untested', verdict=context.call((undefined(name='named') if l_0_named is missing else l_0_named), environment.getattr(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'tests'), 'verdict')), why=environment.getattr(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'tests'), 'why')))))
        if environment.getattr(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'tests'), 'preexisting'):
            pass
            yield ' '
            yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'review_failed_before', count=t_2(environment.getattr(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'tests'), 'preexisting')))))
        if (environment.getattr(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'tests'), 'fewer') == 1):
            pass
            yield ' '
            yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'review_one_fewer')))
        elif environment.getattr(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'tests'), 'fewer'):
            pass
            yield ' '
            yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'review_fewer', count=environment.getattr(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'tests'), 'fewer'))))
    yield '\n'
    yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'findings')))
    yield '\n\n'
    t_5 = 1
    for l_1_group in environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'groups'):
        _loop_vars = {}
        pass
        yield '### '
        yield str(environment.finalize(context.call((undefined(name='named') if l_0_named is missing else l_0_named), environment.getattr(l_1_group, 'severity'), _loop_vars=_loop_vars)))
        yield '\n\n'
        for l_2_each in environment.getattr(l_1_group, 'findings'):
            l_2_listed = resolve('listed')
            _loop_vars = {}
            pass
            yield '- '
            if environment.getattr(l_2_each, 'path'):
                pass
                yield str(environment.finalize(t_1(str_join((environment.getattr(l_2_each, 'path'), (str_join((':', environment.getattr(l_2_each, 'line'), )) if environment.getattr(l_2_each, 'line') else ''), )))))
                yield ' '
            yield str(environment.finalize(environment.getattr(l_2_each, 'said')))
            yield ' ('
            yield str(environment.finalize(context.call((undefined(name='named') if l_0_named is missing else l_0_named), environment.getattr(l_2_each, 'dimension'), _loop_vars=_loop_vars)))
            yield ', '
            yield str(environment.finalize(t_1(environment.getattr(l_2_each, 'rule'))))
            if (environment.getattr(l_2_each, 'source') == 'agent'):
                pass
                yield ', '
                yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'by_agent', _loop_vars=_loop_vars)))
            yield ')\n'
            if environment.getattr(l_2_each, 'quote'):
                pass
                yield '  '
                yield str(environment.finalize(t_1(environment.getattr(l_2_each, 'quote'))))
                yield '\n'
            if environment.getattr(l_2_each, 'fix'):
                pass
                yield '  → '
                yield str(environment.finalize(environment.getattr(l_2_each, 'fix')))
                yield '\n'
            if environment.getattr(l_2_each, 'lines'):
                pass
                yield '  '
                yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'review_alike', count=t_2(environment.getattr(l_2_each, 'lines')), _loop_vars=_loop_vars)))
                yield ': '
                yield str(environment.finalize(context.call((undefined(name='listed') if l_2_listed is missing else l_2_listed), environment.getattr(l_2_each, 'lines'), _loop_vars=_loop_vars)))
                yield '\n'
            if environment.getattr(l_2_each, 'more'):
                pass
                yield '  '
                yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'review_alike', count=t_2(environment.getattr(l_2_each, 'more')), _loop_vars=_loop_vars)))
                yield ':\n'
                for l_3_other in environment.getattr(l_2_each, 'more'):
                    _loop_vars = {}
                    pass
                    yield '  - '
                    yield str(environment.finalize(l_3_other))
                    yield '\n'
                l_3_other = missing
        l_2_each = l_2_listed = missing
        yield '\n'
        t_5 = 0
    l_1_group = missing
    if t_5:
        pass
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'none_found')))
        yield '\n'
    if environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'hidden'):
        pass
        yield '\n'
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'review_hidden', count=environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'hidden'))))
        yield '\n'
    yield '\n'
    if environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'criteria'):
        pass
        yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'acceptance_criteria')))
        yield '\n\n'
        for l_1_each in environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'criteria'):
            _loop_vars = {}
            pass
            yield '- **'
            yield str(environment.finalize(context.call((undefined(name='named') if l_0_named is missing else l_0_named), environment.getattr(l_1_each, 'met'), _loop_vars=_loop_vars)))
            yield '** '
            yield str(environment.finalize(environment.getattr(l_1_each, 'id')))
            yield ': '
            yield str(environment.finalize(environment.getattr(l_1_each, 'text')))
            yield ' ('
            yield str(environment.finalize(environment.getattr(l_1_each, 'by')))
            yield ')\n'
        l_1_each = missing
    if environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'has_said'):
        pass
        yield '\n'
        yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'review_dimensions')))
        yield '\n\n'
        l_1_loop = missing
        for (l_1_name, l_1_said), l_1_loop in LoopContext(context.call(environment.getattr(environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'dimensions'), 'items')), undefined):
            _loop_vars = {}
            pass
            yield '- '
            yield str(environment.finalize(context.call((undefined(name='named') if l_0_named is missing else l_0_named), l_1_name, _loop_vars=_loop_vars)))
            yield ': '
            l_2_loop = missing
            t_6 = 1
            for l_2_each, l_2_loop in LoopContext(l_1_said, undefined):
                _loop_vars = {}
                pass
                yield str(environment.finalize(l_2_each))
                if (not environment.getattr(l_2_loop, 'last')):
                    pass
                    yield ' '
                t_6 = 0
            l_2_loop = l_2_each = missing
            if t_6:
                pass
                yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'review_unsaid')))
            yield '\n'
        l_1_loop = l_1_name = l_1_said = missing
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
                yield str(environment.finalize(t_1(str_join((environment.getattr(l_1_each, 'path'), (str_join((':', environment.getattr(l_1_each, 'line'), )) if environment.getattr(l_1_each, 'line') else ''), )))))
                yield ' '
            yield str(environment.finalize(environment.getattr(l_1_each, 'text')))
            yield ' ('
            yield str(environment.finalize(environment.getattr(l_1_each, 'why')))
            yield ')\n'
        l_1_each = missing
    if (environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'unread') and (not environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'without_agent'))):
        pass
        yield '\n'
        yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'review_unread')))
        yield '\n\n'
        for l_1_each in environment.getattr((undefined(name='doc') if l_0_doc is missing else l_0_doc), 'unread'):
            _loop_vars = {}
            pass
            yield '- '
            yield str(environment.finalize(t_1(environment.getattr(l_1_each, 'path'))))
            yield ': '
            yield str(environment.finalize(environment.getattr(l_1_each, 'why_not')))
            yield '\n'
        l_1_each = missing

blocks = {}
debug_info = '1=35&3=37&5=39&6=41&9=44&12=63&13=65&15=68&17=70&19=73&21=75&23=78&26=92&28=95&29=99&31=101&32=106&33=120&34=123&36=125&37=128&39=130&40=133&42=137&43=140&44=142&45=146&51=155&53=157&55=160&58=163&59=165&61=167&62=171&65=180&67=183&69=186&70=190&74=208&76=211&78=213&80=215&81=219&84=228&86=231&88=233&89=237'
