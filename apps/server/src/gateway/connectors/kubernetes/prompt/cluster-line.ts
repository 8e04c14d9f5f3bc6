import { inBackground } from '../../../../kernel/background.ts'
import type {
  ClientPieces,
  Outcome,
  Statement,
  StatementTarget,
  TargetListener,
} from '../../../kinds/statements/streams.ts'
import { type AnswerHost, type Answers, NOBODY } from '../../../repl/answers.ts'
import type { PromptWire } from '../../../repl/link.ts'
import type { ResultSink } from '../../../repl/output/result.ts'
import { SessionRefusal } from '../../../session/refusal.ts'
import type { Cluster } from '../cluster.ts'
import { CommandError } from './command-line.ts'
import { judgedTexts } from './judged-texts.ts'
import type { Resources } from './resources.ts'
import { runCommand } from './run-command.ts'

/**
 * Beginning of lines by which the prompt itself asks for names of objects, for completion. No line
 * that is typed begins so.
 */
export const ASKS_NAMES = '\x01'
const NAMES_MAX = 500
const NAMES_MS = 3_000
const NAMES_ALONE = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json'

/**
 * A cluster as a prompt works with it: takes lines, runs them one by one as questions to its API,
 * and answers in lines. There is no protocol in between: it is the target and the reader of answers.
 */
export class ClusterLine implements StatementTarget, Answers {
  readonly #cluster: Cluster
  readonly resources: Resources
  readonly #namespace: string
  #host: AnswerHost | undefined
  #listener: TargetListener | undefined
  #sink: ResultSink = NOBODY
  #running: AbortController | undefined
  /** Lines wait for the person. */
  #held: PromiseWithResolvers<void> | undefined

  constructor(cluster: Cluster, resources: Resources, namespace: string) {
    this.#cluster = cluster
    this.resources = resources
    this.#namespace = namespace
  }

  answersTo(host: AnswerHost): this {
    this.#host = host
    return this
  }

  start(listener: TargetListener): void {
    this.#listener = listener
    this.#host?.ready()
  }

  into(sink: ResultSink): void {
    this.#sink = sink
  }

  /** It writes nothing that would have to be read. */
  read(): void {}

  send(statement: Statement): void {
    inBackground(this.#run(statement))
  }

  pass(): void {}

  cancel(): void {
    this.#running?.abort()
  }

  pending(): number {
    return 0
  }

  onceTaken(then: () => void): void {
    then()
  }

  pause(): void {
    this.#held ??= Promise.withResolvers<void>()
  }

  resume(): void {
    this.#held?.resolve()
    this.#held = undefined
  }

  close(): void {
    this.#running?.abort()
    this.resume()
    this.#cluster.close()
  }

  async #run(statement: Statement): Promise<void> {
    const sink = this.#sink
    const running = new AbortController()
    this.#running = running
    let outcome: Outcome = {}
    try {
      const rows = await this.#do(statement.text, sink, running.signal)
      outcome = rows === undefined ? {} : { rows }
    } catch (error) {
      if (running.signal.aborted) outcome = { error: 'broken off' }
      else {
        outcome = errorOf(error)
        sink.message(String(outcome.error), 'error')
      }
    }
    this.#running = undefined
    this.#listener?.outcome(statement, outcome)
    this.#host?.ready()
  }

  async #do(text: string, sink: ResultSink, signal: AbortSignal): Promise<number | undefined> {
    if (text.startsWith(ASKS_NAMES)) return this.#names(text.slice(1), sink, signal)
    return runCommand(text, {
      cluster: this.#cluster,
      resources: this.resources,
      namespace: this.#namespace,
      signal,
      show: async (lines) => {
        if (lines.length) sink.message(lines.join('\n'), 'plain')
        await this.#held?.promise
        signal.throwIfAborted()
      },
    })
  }

  /** Names of objects of a kind; or of the kinds. */
  async #names(kind: string, sink: ResultSink, signal: AbortSignal): Promise<undefined> {
    const say = (name: unknown) => sink.row([{ text: String(name ?? ''), isCut: false }])
    if (kind === ASKS_NAMES) {
      for (const { name } of this.resources.all) say(name)
      return
    }
    const resource = this.resources.find(kind)
    if (!resource) return
    const within = resource.isNamespaced ? `/namespaces/${this.#namespace}` : ''
    const answer = (await this.#cluster.ask(`${resource.root}${within}/${resource.name}?limit=${NAMES_MAX}`, {
      accept: NAMES_ALONE,
      signal: AbortSignal.any([signal, AbortSignal.timeout(NAMES_MS)]),
    })) as { items?: { metadata?: { name?: unknown } }[] }
    for (const { metadata } of answer.items ?? []) say(metadata?.name)
  }
}

/** How a line fails, in the words that `kubectl` has for it. */
function errorOf(error: unknown): Outcome {
  if (error instanceof CommandError) return { error: `error: ${error.message}` }
  if (error instanceof SessionRefusal) {
    const { status, message } = error.values
    if (status === undefined) return { error: error.message }
    const words = String(message || 'no reason given')
    return { error: `Error from server (${status}): ${words}`, code: String(status) }
  }
  const isLate = error instanceof Error && error.name === 'TimeoutError'
  return { error: isLate ? 'The cluster did not answer in time' : 'The cluster could not be reached' }
}

/** Wire of a prompt to a cluster: a line is a statement. */
export function clusterWire(line: ClusterLine, namespace: string): PromptWire {
  return {
    protocol: 'k8s',
    place: { database: namespace, program: 'Sallyport terminal' },
    readAs: (text) => judgedTexts(text, line.resources, namespace),
    readInto: (pieces: ClientPieces) => ({
      read: (bytes) => pieces.statement({ text: bytes.toString(), bytes, database: namespace }),
    }),
  }
}
