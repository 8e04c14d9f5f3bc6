import type { AST } from '@eslint-community/regexpp'

/** At most `factor × (length + 1) ** power`, of a text's length. */
export interface Growth {
  factor: number
  power: number
}

/** Cost of a part of an expression, tried at one place of a text. */
interface Cost {
  /** In how many ways it can be passed: whatever follows is tried again with each. */
  ways: Growth
  steps: Growth
}

const ONE: Growth = { factor: 1, power: 0 }
const LENGTH: Growth = { factor: 1, power: 1 }
/** Longer than anybody waits for, already with a short text. */
export const WITHOUT_BOUND: Growth = { factor: Number.POSITIVE_INFINITY, power: 0 }

/** Steps that a backtracking search for the expression takes at most, in the whole of a text. */
export function matchingSteps(pattern: AST.Pattern): Growth {
  return product(LENGTH, ofAlternatives(pattern).steps)
}

export function stepsFor({ factor, power }: Growth, length: number): number {
  return factor * (length + 1) ** power
}

function ofAlternatives({ alternatives }: { alternatives: readonly AST.Alternative[] }): Cost {
  const costs = alternatives.map(({ elements }) => ofSequence(elements))
  return { ways: sum(costs.map(({ ways }) => ways)), steps: sum([ONE, ...costs.map(({ steps }) => steps)]) }
}

function ofSequence(elements: readonly AST.Element[]): Cost {
  let ways = ONE
  const steps: Growth[] = []
  for (const element of elements) {
    const cost = ofElement(element)
    steps.push(product(ways, cost.steps))
    ways = product(ways, cost.ways)
  }
  return { ways, steps: sum([ONE, ...steps]) }
}

function ofElement(element: AST.Element): Cost {
  switch (element.type) {
    case 'Group':
    case 'CapturingGroup':
      return ofAlternatives(element)
    case 'Quantifier':
      return ofQuantifier(element)
    case 'Assertion':
      // Once a look around has found something, it is not tried again.
      return { ways: ONE, steps: 'alternatives' in element ? ofAlternatives(element).steps : ONE }
    case 'Backreference':
      return { ways: ONE, steps: LENGTH }
    default:
      return { ways: ONE, steps: ONE }
  }
}

function ofQuantifier({ element, min, max }: AST.Quantifier): Cost {
  const { ways, steps } = ofElement(element)
  const isCertain = ways.factor === 1 && ways.power === 0
  if (max === Number.POSITIVE_INFINITY) {
    // A text that can be divided in several ways each time has more of them than any power of the
    // length.
    if (!isCertain) return { ways: WITHOUT_BOUND, steps: WITHOUT_BOUND }
    return { ways: LENGTH, steps: product(steps, { factor: min + 1, power: 1 }) }
  }
  const counts = { factor: max - min + 1, power: 0 }
  const all = { factor: ways.factor ** max, power: ways.power * max }
  return { ways: product(all, counts), steps: product(steps, product(all, { factor: max + 1, power: 0 })) }
}

function product(one: Growth, other: Growth): Growth {
  return { factor: one.factor * other.factor, power: one.power + other.power }
}

function sum(all: readonly Growth[]): Growth {
  return {
    factor: all.reduce((whole, { factor }) => whole + factor, 0),
    power: Math.max(0, ...all.map(({ power }) => power)),
  }
}
