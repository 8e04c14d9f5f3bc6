import type { AST } from '@eslint-community/regexpp'

/** The beginning of a long text says enough, and expressions that are made of many stay small enough to run. */
const LONGEST = 100

/**
 * Texts, in lower case, one of which is in every text that the expression finds, in whichever case;
 * undefined where nothing can be said. ASCII only: other letters have cases that change with flags.
 */
export function neededLiterals(of: { alternatives: readonly AST.Alternative[] }): readonly string[] | undefined {
  const needed = new Set<string>()
  for (const { elements } of of.alternatives) {
    const literals = ofSequence(elements)
    if (!literals) return undefined
    for (const literal of literals) needed.add(literal)
  }
  return needed.size ? [...needed] : undefined
}

/** The part of a sequence that the fewest texts will have. */
function ofSequence(elements: readonly AST.Element[]): readonly string[] | undefined {
  const found: (readonly string[] | undefined)[] = []
  let run = ''
  const endRun = () => {
    if (run) found.push([run.slice(0, LONGEST)])
    run = ''
  }
  for (const element of elements) {
    if (element.type === 'Assertion') continue
    if (element.type === 'Character' && element.value < 128) {
      run += String.fromCharCode(element.value).toLowerCase()
      continue
    }
    endRun()
    if (element.type === 'Group' || element.type === 'CapturingGroup') found.push(neededLiterals(element))
    if (element.type === 'Quantifier' && element.min > 0) found.push(ofSequence([element.element]))
  }
  endRun()
  return found.reduce((best, one) => (shortest(one) > shortest(best) ? one : best), undefined)
}

function shortest(literals: readonly string[] | undefined): number {
  return literals ? Math.min(...literals.map(({ length }) => length)) : 0
}
