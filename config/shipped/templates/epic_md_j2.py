from jinja2.runtime import LoopContext, Macro, Markup, Namespace, TemplateNotFound, TemplateReference, TemplateRuntimeError, Undefined, escape, identity, internalcode, markup_join, missing, str_join
name = 'epic.md.j2'

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
    l_0_section = resolve('section')
    l_0_mark = resolve('mark')
    l_0_refs = resolve('refs')
    l_0_withdrawn_stories = resolve('withdrawn_stories')
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
    yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'goal')))
    yield '\n\n'
    yield str(environment.finalize(environment.getattr((undefined(name='item') if l_0_item is missing else l_0_item), 'goal')))
    yield str(environment.finalize(context.call((undefined(name='mark') if l_0_mark is missing else l_0_mark), (undefined(name='item') if l_0_item is missing else l_0_item))))
    yield '\n\n- '
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'priority')))
    yield ': '
    yield str(environment.finalize(environment.getattr((undefined(name='item') if l_0_item is missing else l_0_item), 'moscow')))
    if environment.getattr((undefined(name='item') if l_0_item is missing else l_0_item), 'mvp'):
        pass
        yield ' (MVP)'
    if (environment.getattr((undefined(name='item') if l_0_item is missing else l_0_item), 'release') and (not (environment.getattr((undefined(name='item') if l_0_item is missing else l_0_item), 'mvp') and (environment.getattr((undefined(name='item') if l_0_item is missing else l_0_item), 'release') == 'MVP')))):
        pass
        yield ' ('
        yield str(environment.finalize(environment.getattr((undefined(name='item') if l_0_item is missing else l_0_item), 'release')))
        yield ')'
    yield '\n- '
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'traces_to')))
    yield ': '
    yield str(environment.finalize(context.call((undefined(name='refs') if l_0_refs is missing else l_0_refs), environment.getattr((undefined(name='item') if l_0_item is missing else l_0_item), 'requirements'))))
    yield '\n- '
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'depends_on')))
    yield ': '
    yield str(environment.finalize((context.call((undefined(name='refs') if l_0_refs is missing else l_0_refs), environment.getattr((undefined(name='item') if l_0_item is missing else l_0_item), 'depends_on')) if environment.getattr((undefined(name='item') if l_0_item is missing else l_0_item), 'depends_on') else context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'none'))))
    yield '\n\n'
    yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'stories')))
    yield '\n\n'
    t_2 = 1
    for l_1_story in environment.getattr((undefined(name='item') if l_0_item is missing else l_0_item), 'stories'):
        l_1_story_line = resolve('story_line')
        _loop_vars = {}
        pass
        yield '### '
        yield str(environment.finalize(environment.getattr(l_1_story, 'id')))
        yield ': '
        yield str(environment.finalize(t_1(environment.getattr(l_1_story, 'title'))))
        yield '\n\n'
        yield str(environment.finalize(context.call((undefined(name='story_line') if l_1_story_line is missing else l_1_story_line), l_1_story, _loop_vars=_loop_vars)))
        yield '\n\n- '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'size', _loop_vars=_loop_vars)))
        yield ': '
        yield str(environment.finalize(environment.getattr(l_1_story, 'size')))
        yield '\n- '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'traces_to', _loop_vars=_loop_vars)))
        yield ': '
        yield str(environment.finalize(context.call((undefined(name='refs') if l_0_refs is missing else l_0_refs), (environment.getattr(l_1_story, 'requirements') + environment.getattr(l_1_story, 'adrs')), _loop_vars=_loop_vars)))
        yield '\n\n'
        yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'criteria', 4, _loop_vars=_loop_vars)))
        yield '\n\n'
        t_3 = 1
        for l_2_criterion in environment.getattr(l_1_story, 'acceptance_criteria'):
            _loop_vars = {}
            pass
            yield '1. '
            yield str(environment.finalize(l_2_criterion))
            yield '\n'
            t_3 = 0
        l_2_criterion = missing
        if t_3:
            l_2_nothing = resolve('nothing')
            pass
            yield str(environment.finalize(context.call((undefined(name='nothing') if l_2_nothing is missing else l_2_nothing), 'criteria')))
            yield '\n'
            l_2_nothing = missing
        yield '\n'
        t_2 = 0
    l_1_story = l_1_story_line = missing
    if t_2:
        l_1_nothing = resolve('nothing')
        pass
        yield str(environment.finalize(context.call((undefined(name='nothing') if l_1_nothing is missing else l_1_nothing), 'stories')))
        yield '\n\n'
        l_1_nothing = missing
    if (undefined(name='withdrawn_stories') if l_0_withdrawn_stories is missing else l_0_withdrawn_stories):
        pass
        yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'withdrawn')))
        yield '\n\n'
        for l_1_story in (undefined(name='withdrawn_stories') if l_0_withdrawn_stories is missing else l_0_withdrawn_stories):
            _loop_vars = {}
            pass
            yield '- '
            yield str(environment.finalize(environment.getattr(l_1_story, 'id')))
            yield ': '
            yield str(environment.finalize(environment.getattr(l_1_story, 'title')))
            yield '\n'
        l_1_story = missing

blocks = {}
debug_info = '1=25&3=27&5=31&6=33&9=35&11=37&13=40&15=52&16=56&18=60&20=63&21=68&23=72&25=74&26=78&28=82&30=85&31=89&33=96&37=105&40=108&41=110&43=112&44=116'
