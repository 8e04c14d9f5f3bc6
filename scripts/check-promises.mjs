/**
 * `node scripts/check-promises.mjs`: finds promises of the server that may fail while nobody waits for
 * them. Such a failure would end the node with all its sessions, so each promise is awaited, returned,
 * or given to one of the doors of `kernel/background.ts`. Found are:
 *
 * - promises that are dropped, also by `void`;
 * - promises that are begun and waited for later, with another wait in between: when that one fails,
 *   nobody comes back to the first;
 * - functions that answer a promise to a caller who wants none, such as a timer.
 *
 * It asks the compiler for types, which the linter can't. Also found are the browser's globals, should
 * a dependency bring them in. Prints what it finds and ends with 1.
 */
import { join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { SyntaxKind } from 'typescript/unstable/ast'
import { API, TypeFlags } from 'typescript/unstable/sync'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** They take care of a failure. */
const DOORS = new Set(['inBackground', 'awaitedLater'])
/** They wait for all that they are given at once, from the moment of the call. */
const TOGETHER = new Set(['all', 'allSettled', 'race', 'any'])
const NEVER_FAILING = new Set(['allSettled', 'resolve'])
/** Somebody has taken care of kept ones already. */
const LOOKED_UP = new Set(['get', 'at', 'pop', 'shift'])
/** They wait for what they are given, though their types don't say so: Fastify for plugins. */
const WAITING = new Set(['register', 'finally'])
const KEEPING = new Set(['push', 'unshift', 'set', 'add'])

const FUNCTIONS = new Set([
  SyntaxKind.ArrowFunction,
  SyntaxKind.FunctionExpression,
  SyntaxKind.FunctionDeclaration,
  SyntaxKind.MethodDeclaration,
  SyntaxKind.Constructor,
  SyntaxKind.GetAccessor,
  SyntaxKind.SetAccessor,
])
const WRAPPERS = new Set([
  SyntaxKind.ParenthesizedExpression,
  SyntaxKind.AsExpression,
  SyntaxKind.NonNullExpression,
  SyntaxKind.SatisfiesExpression,
])
const ASSIGNMENTS = new Set([
  SyntaxKind.EqualsToken,
  SyntaxKind.QuestionQuestionEqualsToken,
  SyntaxKind.BarBarEqualsToken,
])
const CHOICES = new Set([SyntaxKind.AmpersandAmpersandToken, SyntaxKind.BarBarToken, SyntaxKind.QuestionQuestionToken])
const WAITS = new Set([SyntaxKind.AwaitExpression, SyntaxKind.YieldExpression])
/** What may end a function before its next line. */
const LEAVING = new Set([...WAITS, SyntaxKind.ReturnStatement, SyntaxKind.ThrowStatement])
/** Statements that only some runs reach. */
const SOMETIMES = new Set([
  SyntaxKind.IfStatement,
  SyntaxKind.ConditionalExpression,
  SyntaxKind.CaseClause,
  SyntaxKind.DefaultClause,
  SyntaxKind.CatchClause,
  SyntaxKind.ForStatement,
  SyntaxKind.ForOfStatement,
  SyntaxKind.ForInStatement,
  SyntaxKind.WhileStatement,
])

const isFunction = (node) => FUNCTIONS.has(node.kind)
const isBinary = (node, operators) =>
  node.kind === SyntaxKind.BinaryExpression && operators.has(node.operatorToken.kind)

function bare(node) {
  let inner = node
  while (WRAPPERS.has(inner.kind)) inner = inner.expression
  return inner
}

/** The name of what is called: `f` of `f()` and of `a.f()`. */
function calledName(call) {
  const callee = bare(call.expression)
  if (callee.kind === SyntaxKind.Identifier) return callee.text
  return callee.kind === SyntaxKind.PropertyAccessExpression ? callee.name.text : undefined
}

const isOfPromise = (call, names) => names.has(calledName(call)) && bare(call.expression).expression?.text === 'Promise'

/** Whether a failure of the expression, a promise, is met in it, or was already. */
function isMet(expression) {
  const node = bare(expression)
  if (node.kind === SyntaxKind.ConditionalExpression) return isMet(node.whenTrue) && isMet(node.whenFalse)
  if (isBinary(node, CHOICES)) return isMet(node.right) && isMet(node.left)
  if (isBinary(node, ASSIGNMENTS)) return isMet(node.right)
  if (node.kind === SyntaxKind.NewExpression) {
    // An executor that takes no second parameter lets its promise never fail.
    const [executor] = node.arguments ?? []
    return executor !== undefined && isFunction(bare(executor)) && bare(executor).parameters.length < 2
  }
  if (node.kind !== SyntaxKind.CallExpression) return node.kind !== SyntaxKind.ImportKeyword
  const name = calledName(node)
  if (DOORS.has(name) || LOOKED_UP.has(name) || isOfPromise(node, NEVER_FAILING)) return true
  if (name === 'catch') return node.arguments.length > 0
  if (name === 'then') return node.arguments.length > 1
  return name === 'finally' && isMet(bare(node.expression).expression)
}

/**
 * Whether a reference to a promise waits for it there: by await, return, a handler, or together with
 * others.
 */
function isWaitedFor(reference) {
  let node = reference
  let { parent } = node
  while (
    WRAPPERS.has(parent.kind) ||
    parent.kind === SyntaxKind.ArrayLiteralExpression ||
    parent.kind === SyntaxKind.SpreadElement
  ) {
    node = parent
    parent = node.parent
  }
  if (parent.kind === SyntaxKind.AwaitExpression || parent.kind === SyntaxKind.ReturnStatement) return true
  if (parent.kind === SyntaxKind.PropertyAccessExpression && parent.expression === node)
    return ['then', 'catch', 'finally'].includes(parent.name.text)
  // Parameters of ours are looked at as variables are.
  return (
    parent.kind === SyntaxKind.CallExpression && (!KEEPING.has(calledName(parent)) || isOfPromise(parent, TOGETHER))
  )
}

const within = (node, visit) => node.forEachChild((child) => void visit(child))

/** Whether it is the variable of that name, not a property called so. */
const names = (node, name) =>
  node.kind === SyntaxKind.Identifier &&
  node.text === name &&
  !(node.parent.kind === SyntaxKind.PropertyAccessExpression && node.parent.name === node)

const isLookedAt = ({ parent }) => isBinary(parent, new Set([SyntaxKind.InstanceOfKeyword]))

/**
 * Whether a promise in a variable is waited for in every run, before anything else is. Where nothing
 * is waited for at all, nothing comes in between.
 * @param declaration of a variable or parameter
 * @param scope the function, or file, that it is in
 */
function isWaitedForFirst(declaration, scope) {
  const { text } = declaration.name
  const references = []
  const seen = []
  const leaving = []
  const look = (node) => {
    if (node.pos >= declaration.end) {
      if (names(node, text)) (isLookedAt(node) ? seen : references).push(node)
      if (LEAVING.has(node.kind)) leaving.push(node)
    }
    within(node, (child) => isFunction(child) || look(child))
  }
  within(scope, (child) => isFunction(child) || look(child))
  // Somebody else has it who asks by this function what it is.
  if (declaration.kind === SyntaxKind.Parameter && seen.length && !references.length) return true
  if (!leaving.some(({ kind }) => WAITS.has(kind))) return references.some(isWaitedFor)
  const [first] = references
  if (!first || !isWaitedFor(first) || leaving.some(({ end }) => end <= first.pos)) return false
  const block = declaration.kind === SyntaxKind.Parameter ? scope : declaration.parent.parent.parent
  for (let node = first; node.parent && node !== block; node = node.parent) {
    const { parent } = node
    if (SOMETIMES.has(parent.kind) && parent.expression !== node && parent.condition !== node) return false
    if (isBinary(parent, CHOICES) && parent.right === node) return false
  }
  return true
}

/** Whether the type's text, as the compiler writes it, is that of a promise, or may be one. */
function isPromiseText(text) {
  let depth = 0
  let part = ''
  const parts = []
  for (const [at, sign] of [...text].entries()) {
    // In a function without parentheses, all that follows is its answer.
    if (depth === 0 && text.startsWith('=>', at)) return isPromiseText(parts.join('|'))
    if ('<({['.includes(sign)) depth++
    if ('>)}]'.includes(sign) && text[at - 1] !== '=') depth--
    if (sign === '|' && depth === 0) {
      parts.push(part.trim())
      part = ''
    } else part += sign
  }
  return [...parts, part.trim()].some((one) => /^\(?(readonly )?\[?(Promise|PromiseLike)</.test(one))
}

/** The whole text of a type, however long (`NodeBuilderFlags`). */
const NO_TRUNCATION = 1
const CALL_SIGNATURES = 0

/**
 * Answers about types of one project. All nodes are asked for in one call, and each type once: calls
 * of the compiler are what takes time here.
 */
function typesOf({ checker }) {
  const texts = new Map()
  const textOf = (type) => {
    if (!type || !(type.flags & (TypeFlags.Object | TypeFlags.Union | TypeFlags.Intersection))) return ''
    if (!texts.has(type.id)) texts.set(type.id, checker.typeToString(type, undefined, NO_TRUNCATION))
    return texts.get(type.id)
  }
  const among = (items, nodeOf, isOne) => {
    if (!items.length) return []
    const types = checker.getTypeAtLocation(items.map(nodeOf))
    return items.filter((_, n) => isOne(textOf(types[n])))
  }
  const wantsNone = (node) => {
    const wanted = checker.getContextualType(node)
    if (!wanted) return false
    const signatures = checker.getSignaturesOfType(checker.getNonNullableType(wanted) ?? wanted, CALL_SIGNATURES)
    const results = signatures.map((one) => checker.typeToString(checker.getReturnTypeOfSignature(one)))
    return results.includes('void') && !results.some(isPromiseText)
  }
  return {
    /** Those of the items whose node has a promise for its type, or may have. */
    promisesAmong: (items, nodeOf) => among(items, nodeOf, isPromiseText),
    /** Those of the functions that answer a promise where none is wanted. */
    unwantedAmong(functions) {
      const isAsync = (node) => node.modifiers?.some(({ kind }) => kind === SyntaxKind.AsyncKeyword)
      const short = functions.filter((node) => isFunction(node) && node.body && node.body.kind !== SyntaxKind.Block)
      const named = functions.filter((node) => !isFunction(node))
      return [
        ...functions.filter((node) => isFunction(node) && isAsync(node)),
        ...among(
          short.filter((node) => !isAsync(node)),
          ({ body }) => body,
          isPromiseText,
        ),
        ...among(
          named,
          (node) => node,
          (text) => /=> Promise(Like)?</.test(text),
        ),
      ].filter(wantsNone)
    },
  }
}

/** What of a file is to be asked about. */
function candidatesOf(file) {
  const dropped = []
  const declared = []
  const kept = []
  const passed = []
  const visit = (node, scope) => {
    if (node.kind === SyntaxKind.ExpressionStatement || node.kind === SyntaxKind.VoidExpression) {
      const expression = bare(node.expression)
      const isOther =
        [SyntaxKind.AwaitExpression, SyntaxKind.VoidExpression].includes(expression.kind) ||
        isBinary(expression, ASSIGNMENTS)
      if (!isOther) dropped.push(expression)
    }
    if (node.kind === SyntaxKind.VariableDeclaration && node.name.kind === SyntaxKind.Identifier && node.initializer)
      declared.push({ declaration: node, value: bare(node.initializer), scope })
    if (node.kind === SyntaxKind.Parameter && node.name.kind === SyntaxKind.Identifier && scope.body)
      declared.push({ declaration: node, value: node.name, scope })
    if (isBinary(node, ASSIGNMENTS)) kept.push(bare(node.right))
    if (node.kind === SyntaxKind.PropertyAssignment) kept.push(bare(node.initializer))
    if (node.kind === SyntaxKind.PropertyDeclaration && node.initializer) kept.push(bare(node.initializer))
    if (node.kind === SyntaxKind.CallExpression || node.kind === SyntaxKind.NewExpression) {
      const name = calledName(node)
      for (const one of node.arguments ?? []) {
        if (KEEPING.has(name)) kept.push(bare(one))
        if (!WAITING.has(name)) passed.push(bare(one))
      }
    }
    if (node.kind === SyntaxKind.PropertyAssignment) passed.push(bare(node.initializer))
    within(node, (child) => visit(child, isFunction(child) ? child : scope))
  }
  visit(file, file)
  return {
    dropped: dropped.filter((node) => !isMet(node) || !isExpressionOfCalls(node)),
    declared: declared.filter(({ value }) => value.kind !== SyntaxKind.AwaitExpression && !isFunction(value)),
    kept: kept.filter((node) => node.kind !== SyntaxKind.AwaitExpression && !isFunction(node) && !isMet(node)),
    passed: passed.filter(
      (node) =>
        isFunction(node) || node.kind === SyntaxKind.Identifier || node.kind === SyntaxKind.PropertyAccessExpression,
    ),
  }
}

/** A name alone is a promise that somebody else may have taken care of, but not where it is dropped. */
const isExpressionOfCalls = (node) =>
  node.kind !== SyntaxKind.Identifier && node.kind !== SyntaxKind.PropertyAccessExpression

/**
 * Faults of the promises of a project, as `path:line: fault`.
 * @param {string} config path of its tsconfig.json
 * @param {(path: string) => boolean} isChecked which of its files, by their whole path
 */
export function promiseFaults(config, isChecked) {
  const api = new API({ cwd: ROOT })
  try {
    const [project] = api.updateSnapshot({ openProjects: [config] }).getProjects()
    return promiseFaultsOf(project, config, isChecked)
  } finally {
    api.close()
  }
}

/** The same, of a project that the compiler has opened. */
export function promiseFaultsOf(project, config, isChecked) {
  const names = project.program.getSourceFileNames()
  const files = names.filter(isChecked).map((name) => project.program.getSourceFile(name))
  const faults = faultsOf(files.map(candidatesOf), typesOf(project))
  if (names.some((name) => name.endsWith('/lib.dom.d.ts')))
    faults.push(`${relative(ROOT, config)}: a dependency brings in the globals of browsers (see "paths" there)`)
  return { faults, count: files.length }
}

/** Whether it is code of the server that runs in production. */
export const isOfServer = (path) =>
  path.includes('/apps/server/src/') && !/(\.test|-fixture)\.ts$/.test(path) && !path.endsWith('.d.ts')

function faultsOf(candidates, types) {
  const all = (kind) => candidates.flatMap((one) => one[kind])
  const node = (one) => one
  const unseen = types
    .promisesAmong(all('declared'), ({ value }) => value)
    .filter(({ declaration, value, scope }) => {
      const isHeld = declaration.kind !== SyntaxKind.Parameter && isMet(value)
      return !isHeld && !isWaitedForFirst(declaration, scope)
    })
  return [
    ...reported(types.promisesAmong(all('dropped'), node), 'nobody waits for this promise'),
    ...reported(
      unseen.map(({ declaration }) => declaration),
      'this promise is not the next thing that is waited for',
    ),
    ...reported(types.promisesAmong(all('kept'), node), 'this promise is kept, and may fail before'),
    ...reported(types.unwantedAmong(all('passed')), 'whoever calls this waits for no promise'),
  ].toSorted()
}

const reported = (nodes, what) => [
  ...new Set(
    nodes.map((node) => {
      const file = node.getSourceFile()
      const line = file.text.slice(0, node.getStart(file)).split('\n').length
      return `${relative(ROOT, file.fileName)}:${line}: ${what}`
    }),
  ),
]

function check() {
  const { faults, count } = promiseFaults(join(ROOT, 'apps/server/tsconfig.json'), isOfServer)
  for (const fault of faults) console.error(fault)
  console.log(
    faults.length
      ? `${faults.length} promises may fail unseen: await them together, or use kernel/background.ts`
      : `promises of ${count} files are waited for`,
  )
  return faults.length === 0
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) process.exitCode = check() ? 0 : 1
