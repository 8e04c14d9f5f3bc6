import { createHash } from 'node:crypto'
import multipart, { type Multipart } from '@fastify/multipart'
import { ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import type { Fields } from '@sallyport/contract/define.ts'
import { sql } from 'drizzle-orm'
import { imageSize } from 'image-size'
import type { Call } from '../../kernel/access/call.ts'
import type { Database } from '../../kernel/database/database.ts'
import { AppError, invalid, notFound, refused } from '../../kernel/errors/app-error.ts'
import { keepCurrent } from '../../kernel/events/keep-current.ts'
import { translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { labelledChanges } from '../../kernel/resource/operate-log/changes.ts'
import { plainFields } from '../../kernel/resource/plain-fields.ts'
import { builtInLogos, settingsOf } from '../settings/index.ts'
import { xpackImage } from './tables.ts'

/**
 * Width and height in pixels that each picture is drawn for
 * (docs/rules/xpack.md#interface_setting).
 */
const PICTURES = {
  login_image: [492, 472],
  favicon: [16, 16],
  logo_index: [185, 55],
  logo_logout: [82, 82],
} as const
type PictureName = keyof typeof PICTURES
const NAMES = Object.keys(PICTURES) as PictureName[]
/**
 * How many times larger a picture may be than its place: enough for dense screens, too little for a
 * photograph as an icon.
 */
const MAX_TIMES = 8
const MAX_BYTES = 1024 * 1024
const MAX_TITLE = 1024
/** SVG is missing because it may carry script. */
const TYPES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  ico: 'image/x-icon',
}
/**
 * The fields of the operate log: of a picture its kind, its size, and a mark that differs from
 * others.
 */
const LOGGED: Fields = {
  login_title: { type: 'string', label: 'Name of the site' },
  login_image: { type: 'string', label: 'Picture of the sign-in page' },
  favicon: { type: 'string', label: 'Icon of the site' },
  logo_index: { type: 'string', label: 'Logo of the console' },
  logo_logout: { type: 'string', label: 'Logo of the sign-in page' },
}
const PATH = '/api/v1/xpack/interface/setting'
const CHANGED = 'interface.changed'

export type LogoUrls = Record<PictureName, string>

/** Addresses of the pictures in force. */
export interface InterfaceStore {
  urls(): LogoUrls
}

interface Picture {
  name: PictureName
  type: string
  content: Buffer
  sha256: string
}

/**
 * The calls of the page "Interface Setting", and the pictures themselves, which the sign-in page
 * shows to anybody.
 */
export async function openInterface(kernel: Kernel): Promise<InterfaceStore> {
  const { app, db, events } = kernel
  const settings = settingsOf(kernel)
  let urls: LogoUrls = builtInLogos()
  const load = async () => {
    const rows = await db.select({ name: xpackImage.name, sha256: xpackImage.sha256 }).from(xpackImage)
    urls = {
      ...builtInLogos(),
      ...Object.fromEntries(rows.map(({ name, sha256 }) => [name, `/media/interface/${name}/${sha256}/`])),
    }
  }
  const reload = await keepCurrent(kernel, CHANGED, load, 'pictures could not be read')
  const answer = () => ({ login_title: settings.get('LOGIN_TITLE'), ...urls })
  const config = (summary: string) => ({ access: ['super_admin'] as const, needsLicense: true, summary })
  /** Changes what is shown, with its line of the operate log, and has every node show what is stored now. */
  const change = async (call: Call, title: string | undefined, write: (db: Database) => Promise<unknown>) => {
    await settings.changeWith(async (inside, changeSettings) => {
      const now = settings.get('LOGIN_TITLE')
      const before = { login_title: now, ...(await loggedPictures(inside)) }
      await write(inside)
      if (title !== undefined) await changeSettings({ LOGIN_TITLE: title })
      const after = { login_title: title ?? now, ...(await loggedPictures(inside)) }
      await kernel.audit.record(inside, call, [
        {
          action: 'update',
          resourceType: 'Interface setting',
          resource: 'interface',
          orgId: ROOT_ORG_ID,
          changes: labelledChanges(LOGGED, before, after),
        },
      ])
    })
    await reload()
    await events.publish(CHANGED, {})
  }

  app.route({ method: 'GET', url: PATH, config: config('Interface setting'), handler: async () => answer() })
  app.route({
    method: 'GET',
    url: '/api/v1/xpack/interface/restore',
    exposeHeadRoute: false,
    config: {
      ...config('Interface setting: back to what is built in'),
      changesOnGet: true,
      answers: { fields: plainFields({ success: 'string' }) },
    },
    handler: async ({ call }) => {
      const isDefault = !settings.get('LOGIN_TITLE') && NAMES.every((name) => urls[name] === builtInLogos()[name])
      const say = (text: string) => ({ success: translate(call.language, text) })
      if (isDefault) return say('These are already the defaults')
      await change(call, '', (inside) => inside.delete(xpackImage))
      return say('The defaults are restored')
    },
  })
  registerPictures(kernel)
  // In a scope of its own, so that no other route takes multipart bodies.
  app.register(async (scope) => {
    await scope.register(multipart, {
      limits: { files: NAMES.length, fields: 10, fieldSize: MAX_TITLE * 4, fileSize: MAX_BYTES },
    })
    scope.route({
      method: 'PUT',
      url: PATH,
      bodyLimit: (NAMES.length + 1) * MAX_BYTES,
      config: config('Change the interface setting'),
      handler: async (request) => {
        if (!request.isMultipart()) throw refused('bad_request', 'Send the values as multipart/form-data.')
        const { title, pictures } = await read(request.parts())
        await change(request.call, title, async (inside) => {
          if (pictures.length) await storePictures(inside, pictures)
        })
        return answer()
      },
    })
  })
  return { urls: () => urls }
}

/**
 * Serves the pictures to anybody. An address holds the picture's hash, so it never shows another.
 */
function registerPictures({ app, db }: Kernel): void {
  app.route<{ Params: { name: string; sha256: string } }>({
    method: 'GET',
    url: '/media/interface/:name/:sha256/',
    config: { access: ['anonymous'], summary: 'Picture of the installation', answers: 'file' },
    handler: async (request, reply) => {
      const { name, sha256 } = request.params
      const [picture] = await db
        .select()
        .from(xpackImage)
        .where(sql`${xpackImage.name} = ${name.slice(0, 32)} AND ${xpackImage.sha256} = ${sha256.slice(0, 64)}`)
      if (!picture) throw notFound()
      reply.headers({ 'cache-control': 'public, max-age=31536000, immutable', 'x-content-type-options': 'nosniff' })
      return reply.type(picture.type).send(picture.content)
    },
  })
}

const LOGGED_PICTURE = {
  name: xpackImage.name,
  type: xpackImage.type,
  bytes: sql<number>`octet_length(${xpackImage.content})`,
  sha256: xpackImage.sha256,
}

async function loggedPictures(db: Database): Promise<Record<string, string>> {
  const rows = await db.select(LOGGED_PICTURE).from(xpackImage)
  return Object.fromEntries([
    ...NAMES.map((name) => [name, '']),
    ...rows.map(({ name, type, bytes, sha256 }) => [name, `${type}, ${bytes} bytes, ${sha256.slice(0, 8)}`]),
  ])
}

const storePictures = (db: Database, pictures: Picture[]) =>
  db
    .insert(xpackImage)
    .values(pictures)
    .onConflictDoUpdate({
      target: xpackImage.name,
      set: {
        type: sql`excluded.type`,
        content: sql`excluded.content`,
        sha256: sql`excluded.sha256`,
        date_updated: sql`now()`,
      },
    })

/** Reads all of it before anything is stored. Throws 400 with messages by field. */
async function read(parts: AsyncIterable<Multipart>): Promise<Changes> {
  try {
    return await readParts(parts)
  } catch (error) {
    // The file or what follows it throws, depending on how its last bytes arrive.
    const { code, part } = error as { code?: string; part?: Multipart }
    throw code === 'FST_REQ_FILE_TOO_LARGE' ? tooLarge(part?.fieldname) : error
  }
}

const tooLarge = (field: string | undefined) =>
  invalid({ [NAMES.find((known) => known === field) ?? 'file']: 'A picture has 1 MB at most' })

interface Changes {
  title: string | undefined
  pictures: Picture[]
}

async function readParts(parts: AsyncIterable<Multipart>): Promise<Changes> {
  let title: string | undefined
  const pictures = new Map<PictureName, Picture>()
  for await (const part of parts) {
    const name = NAMES.find((known) => known === part.fieldname)
    if (part.type === 'file') {
      const content = await part.toBuffer()
      if (part.file.truncated) throw tooLarge(part.fieldname)
      if (name && content.length) pictures.set(name, pictureOf(name, content))
    } else if (part.fieldname === 'login_title') {
      title = String(part.value).trim()
      if (title.length > MAX_TITLE) throw invalid({ login_title: 'A title has 1024 characters at most' })
    }
  }
  return { title, pictures: [...pictures.values()] }
}

function pictureOf(name: PictureName, content: Buffer): Picture {
  const size = sizeOf(content)
  const type = TYPES[size?.type ?? '']
  if (!size || !type) throw invalid({ [name]: 'Choose a picture: PNG, JPEG, GIF, WebP or ICO' })
  const [width, height] = PICTURES[name]
  if (size.width > width * MAX_TIMES || size.height > height * MAX_TIMES)
    throw new AppError(400, 'invalid', 'Invalid input', {
      fields: { [name]: ['This picture is too large for its place'] },
    })
  return { name, type, content, sha256: createHash('sha256').update(content).digest('hex') }
}

function sizeOf(content: Buffer): { width: number; height: number; type?: string } | undefined {
  try {
    // A copy: the library reads on behind the end of a short one, into what else is in memory there.
    const size = imageSize(Uint8Array.from(content))
    // A truncated header reads as a size of 0.
    return size.width > 0 && size.height > 0 ? size : undefined
  } catch {
    return undefined
  }
}
