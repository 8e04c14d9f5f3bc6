/** How a server would run a statement, as a tree: what PostgreSQL and MariaDB answer as JSON. */

export interface PlanNode {
  /** The step in the server's own words, and what it is done to. */
  title: string
  subject: string
  /** Rows that the server expects. */
  rows: number | undefined
  /** The server's estimate for the step by itself, without those below it. */
  ownCost: number | undefined
  cost: number | undefined
  /** All else that it says of the step. */
  details: readonly { name: string; value: string }[]
  steps: readonly PlanNode[]
}

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }
type Fields = { readonly [name: string]: Json }

const isFields = (value: Json | undefined): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value)
const isPlain = (value: Json) => !isFields(value) && !(isList(value) && value.some(isFields))

/** The plan that an answer is; undefined for anything else. */
export function readPlan(text: string): PlanNode | undefined {
  let answer: Json
  try {
    answer = JSON.parse(text)
  } catch {
    return undefined
  }
  const first = isList(answer) ? answer[0] : answer
  if (!isFields(first)) return undefined
  if (isFields(first.Plan)) return postgresqlStep(first.Plan)
  const [step, ...others] = Object.entries(first).flatMap(([name, value]) => mysqlSteps(name, value))
  return step && others.length === 0 ? step : undefined
}

/** Facts that the title, the subject and the figures contain already. */
const POSTGRESQL_SAID = new Set(['Node Type', 'Relation Name', 'Plan Rows', 'Total Cost', 'Plans'])

function postgresqlStep(fields: Fields): PlanNode {
  const steps = isList(fields.Plans) ? fields.Plans.filter(isFields).map(postgresqlStep) : []
  const subject = [fields['Relation Name'] ?? fields['CTE Name'] ?? fields['Function Name'], fields['Index Name']]
  return {
    title: textOf(fields['Node Type'] ?? ''),
    subject: subject.flatMap((one) => (one === undefined ? [] : [textOf(one)])).join(' · '),
    rows: numberOf(fields['Plan Rows']),
    ...costs(numberOf(fields['Total Cost']), steps),
    details: detailsOf(fields, POSTGRESQL_SAID),
    steps,
  }
}

const MYSQL_SAID = new Set(['table_name', 'rows', 'cost'])

/** Steps are objects within objects; a list of joined tables is no step of its own. */
function mysqlSteps(name: string, value: Json): PlanNode[] {
  if (isList(value)) return value.filter(isFields).flatMap((one) => stepsWithin(one))
  if (!isFields(value)) return []
  const steps = stepsWithin(value)
  return [
    {
      title: name.replaceAll('_', ' '),
      subject: textOf(value.table_name ?? ''),
      rows: numberOf(value.rows ?? value.rows_examined_per_scan),
      ...costs(numberOf(value.cost ?? (isFields(value.cost_info) ? value.cost_info.query_cost : undefined)), steps),
      details: detailsOf(value, MYSQL_SAID),
      steps,
    },
  ]
}

const stepsWithin = (fields: Fields): PlanNode[] =>
  Object.entries(fields).flatMap(([name, value]) =>
    isPlain(value) || isFacts(name, value) ? [] : mysqlSteps(name, value),
  )

/** An object that says something of a step and is none: of MySQL its costs. */
const isFacts = (name: string, value: Json) =>
  name !== 'table' && isFields(value) && Object.values(value).every(isPlain) && /_info$/.test(name)

function detailsOf(fields: Fields, known: ReadonlySet<string>): PlanNode['details'] {
  return Object.entries(fields).flatMap(([name, value]) => {
    if (known.has(name)) return []
    if (isFields(value) && isFacts(name, value)) return detailsOf(value, known)
    return isPlain(value) ? [{ name: name.replaceAll('_', ' '), value: textOf(value) }] : []
  })
}

/** A step's cost has in it those of the steps below it. */
function costs(cost: number | undefined, steps: readonly PlanNode[]): Pick<PlanNode, 'cost' | 'ownCost'> {
  const below = steps.reduce((sum, step) => sum + (step.cost ?? 0), 0)
  return { cost, ownCost: cost === undefined ? undefined : Math.max(0, cost - below) }
}

const textOf = (value: Json): string =>
  isList(value) ? value.map(textOf).join(', ') : typeof value === 'string' ? value : JSON.stringify(value)

/** MySQL writes some numbers as texts. */
function numberOf(value: Json | undefined): number | undefined {
  const number = typeof value === 'string' ? Number.parseFloat(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}
