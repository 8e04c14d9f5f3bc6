import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { DIFFERENCES_FILE, type Fault, type MoveNews, type MoveOrder, REPORT_FILE } from './order.ts'

/** Characters that the program writes beside its news, for the log of the server. */
const MOST_OUTPUT = 4_096
/** Bytes of a packed file. A report names 2,000 rows of each remark, and 100,000 rights. */
const LARGEST_PACKED = 16 * 1024 ** 2
/** Variables that a program needs anywhere. Those of Sallyport come with the order. */
const PASSED_ON = ['PATH', 'HOME', 'TMPDIR', 'TZ', 'LD_LIBRARY_PATH', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE']

const pack = promisify(gzip)

export interface ProgramEnd {
  code: number | null
  /** What it wrote beside its news. */
  output: string
  report: Buffer | null
  differences: Buffer | null
}

/**
 * Runs the program that imports, with all it needs on its input. `onNews` gets each line of its output.
 * It has a memory of its own, and its transactions end with it when it is stopped.
 */
export async function runProgram(
  program: string,
  order: Omit<MoveOrder, 'folder'>,
  { signal, onNews }: { signal: AbortSignal; onNews(news: MoveNews): void },
): Promise<ProgramEnd> {
  // Its mode is 0700: the report has names of people and machines.
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-moving-'))
  try {
    const { code, output } = await followProgram(program, { ...order, folder }, { signal, onNews })
    const [report, differences] = await Promise.all([
      packed(join(folder, REPORT_FILE)),
      packed(join(folder, DIFFERENCES_FILE)),
    ])
    return { code, output, report, differences }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function followProgram(
  program: string,
  order: MoveOrder,
  { signal, onNews }: { signal: AbortSignal; onNews(news: MoveNews): void },
): Promise<{ code: number | null; output: string }> {
  const env = Object.fromEntries(PASSED_ON.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])))
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, 'import-jumpserver', '--steered'], {
      ...{ env, cwd: order.folder, stdio: 'pipe' },
    })
    const stop = () => child.kill()
    signal.addEventListener('abort', stop)
    if (signal.aborted) stop()
    let output = ''
    child.stderr.setEncoding('utf8').on('data', (piece: string) => {
      output = (output + piece).slice(-MOST_OUTPUT)
    })
    createInterface({ input: child.stdout }).on('line', (line) => {
      const news = newsIn(line)
      if (news) onNews(news)
      else output = `${output}${line}\n`.slice(-MOST_OUTPUT)
    })
    // One that has ended already reads nothing.
    child.stdin.on('error', () => {})
    // The input stays open: its end would end the program.
    child.stdin.write(`${JSON.stringify(order)}\n`)
    child.on('error', reject)
    child.on('close', (code) => {
      signal.removeEventListener('abort', stop)
      resolve({ code, output })
    })
  })
}

function newsIn(line: string): MoveNews | undefined {
  if (!line.startsWith('{')) return undefined
  try {
    return JSON.parse(line) as MoveNews
  } catch {
    return undefined
  }
}

async function packed(file: string): Promise<Buffer | null> {
  const text = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  const bytes = text && (await pack(text))
  return bytes && bytes.length <= LARGEST_PACKED ? bytes : null
}

/** A program that ended without a word of why. */
export const ENDED = { sentence: 'The program that imports has ended. The log of the node says more.' } satisfies Fault
