from jinja2.runtime import LoopContext, Macro, Markup, Namespace, TemplateNotFound, TemplateReference, TemplateRuntimeError, Undefined, escape, identity, internalcode, markup_join, missing, str_join
name = 'requirement.md.j2'

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
    l_0_refs = resolve('refs')
    l_0_mark = resolve('mark')
    l_0_story_line = resolve('story_line')
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
    yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'statement')))
    yield '\n\n'
    yield str(environment.finalize(environment.getattr((undefined(name='item') if l_0_item is missing else l_0_item), 'statement')))
    yield '\n\n- '
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'priority')))
    yield ': '
    yield str(environment.finalize(environment.getattr((undefined(name='item') if l_0_item is missing else l_0_item), 'moscow')))
    if environment.getattr((undefined(name='item') if l_0_item is missing else l_0_item), 'release'):
        pass
        yield ' ('
        yield str(environment.finalize(environment.getattr((undefined(name='item') if l_0_item is missing else l_0_item), 'release')))
        yield ')'
    yield '\n'
    if environment.getattr((undefined(name='item') if l_0_item is missing else l_0_item), 'category'):
        pass
        yield '- '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'category')))
        yield ': '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), environment.getattr((undefined(name='item') if l_0_item is missing else l_0_item), 'category'))))
        yield '\n'
    yield '- '
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'traces_to')))
    yield ': '
    yield str(environment.finalize(context.call((undefined(name='refs') if l_0_refs is missing else l_0_refs), environment.getattr((undefined(name='item') if l_0_item is missing else l_0_item), 'goals'))))
    yield '\n- '
    yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'source')))
    yield ':'
    if (environment.getattr((undefined(name='item') if l_0_item is missing else l_0_item), 'source') == 'proposed'):
        pass
        yield str(environment.finalize(context.call((undefined(name='mark') if l_0_mark is missing else l_0_mark), (undefined(name='item') if l_0_item is missing else l_0_item))))
    else:
        pass
        yield ' '
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), environment.getattr((undefined(name='item') if l_0_item is missing else l_0_item), 'source'))))
        if environment.getattr((undefined(name='item') if l_0_item is missing else l_0_item), 'reason'):
            pass
            yield ' ('
            yield str(environment.finalize(environment.getattr((undefined(name='item') if l_0_item is missing else l_0_item), 'reason')))
            yield ')'
    yield '\n'
    if environment.getattr((undefined(name='item') if l_0_item is missing else l_0_item), 'quote'):
        pass
        yield '\n'
        yield str(environment.finalize(context.call((undefined(name='t') if l_0_t is missing else l_0_t), 'quote')))
        yield ':\n\n> '
        yield str(environment.finalize(environment.getattr((undefined(name='item') if l_0_item is missing else l_0_item), 'quote')))
        yield '\n\n'
    if environment.getattr((undefined(name='item') if l_0_item is missing else l_0_item), 'user_story'):
        pass
        yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'user_stories')))
        yield '\n\n'
        yield str(environment.finalize(context.call((undefined(name='story_line') if l_0_story_line is missing else l_0_story_line), environment.getattr((undefined(name='item') if l_0_item is missing else l_0_item), 'user_story'))))
        yield '\n\n'
    if (environment.getattr((undefined(name='item') if l_0_item is missing else l_0_item), 'acceptance_criteria') or (environment.getattr((undefined(name='item') if l_0_item is missing else l_0_item), 'moscow') != "Won't")):
        pass
        yield str(environment.finalize(context.call((undefined(name='section') if l_0_section is missing else l_0_section), 'acceptance_criteria')))
        yield '\n\n'
        t_2 = 1
        for l_1_criterion in environment.getattr((undefined(name='item') if l_0_item is missing else l_0_item), 'acceptance_criteria'):
            _loop_vars = {}
            pass
            yield '1. '
            yield str(environment.finalize(l_1_criterion))
            yield '\n'
            t_2 = 0
        l_1_criterion = missing
        if t_2:
            l_1_nothing = resolve('nothing')
            pass
            yield str(environment.finalize(context.call((undefined(name='nothing') if l_1_nothing is missing else l_1_nothing), 'acceptance_criteria')))
            yield '\n'
            l_1_nothing = missing

blocks = {}
debug_info = '1=25&3=27&5=31&6=33&9=35&11=37&13=39&15=48&16=51&18=56&19=60&21=75&23=78&25=80&28=82&29=84&31=86&34=88&35=90&37=93&38=97&40=104'
