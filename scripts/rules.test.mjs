import { expect, test } from 'vitest'
import { faults, TESTS_PAGE, testsOf, testsPage } from './rules.mjs'

const PAGE = ['# Lists', '', '## Rules', '', '- **A2.77 B2.02** A list is a table.', '', '### columns', ''].join('\n')

/** A repository with two rules, each proven, and a current list; other files come on top. */
function repository(more = {}) {
  const files = new Map(
    Object.entries({
      'docs/rules/lists.md': PAGE,
      'apps/list.test.ts': "test('[A2.77 B2.02] a list is a table', () => {})",
      ...more,
    }),
  )
  return files.set(TESTS_PAGE, more[TESTS_PAGE] ?? testsPage(files))
}

test('rules that are proven, cited and listed are no fault', () => {
  const cited = '/** A list (A2.77, docs/rules/lists.md#columns). */'
  expect(faults(repository({ 'apps/list.ts': cited }))).toEqual([])
})

test('a rule, a page and a heading that are cited and not there are reported', () => {
  const cited = ['// A9.99', '// docs/rules/gone.md', '// docs/rules/lists.md#rows'].join('\n')
  expect(faults(repository({ 'apps/list.ts': cited }))).toEqual([
    'apps/list.ts: there is no rule A9.99',
    'apps/list.ts: there is no docs/rules/gone.md',
    'apps/list.ts: there is no docs/rules/lists.md#rows',
  ])
})

test('a rule without a test is reported, and one that two pages have', () => {
  expect(faults(repository({ 'docs/rules/forms.md': '- **A5.01** A field.\n- **A2.77** A list.\n' }))).toEqual([
    'docs/rules/lists.md: A2.77 is in docs/rules/forms.md too',
    'docs/rules/forms.md: no test proves A5.01',
  ])
})

test('a list of tests that is not current is reported', () => {
  expect(faults(repository({ [TESTS_PAGE]: '# Tests of the rules\n' }))).toEqual([
    `${TESTS_PAGE} is not current: npm run rules`,
  ])
})

test('a document outside of the repository is reported, also where a line of a comment breaks its name', () => {
  const names = [['contract', 'assets.yaml'].join('/'), ['field', 'notes 8'].join('-'), ['', 'shared', 'x'].join('/')]
  const text = [...names.map((name) => `// ..${name}`), ` * A list (${'spec'}`, ' * A2.77).'].join('\n')
  expect(faults(repository({ 'apps/list.ts': text }))).toEqual([
    `apps/list.ts: '${names[0]}' is not in the repository`,
    `apps/list.ts: '${['field', 'notes'].join('-')}' is not in the repository`,
    "apps/list.ts: '../shared' is not in the repository",
    "apps/list.ts: 'spec A2' is not in the repository",
  ])
})

test('each rule has the files whose titles begin with it, once and sorted', () => {
  const files = repository({
    'apps/b.test.ts': "test('[A2.77] b', () => {})\ntest('[A2.77] b again', () => {})",
    'apps/a.test.ts': "test.each(CASES)('[A2.77] a: %s', () => {})\n// [B2.02] proves nothing here",
  })
  expect(testsOf(files).get('A2.77')).toEqual(['apps/a.test.ts', 'apps/b.test.ts', 'apps/list.test.ts'])
  expect(testsOf(files).get('B2.02')).toEqual(['apps/list.test.ts'])
})
