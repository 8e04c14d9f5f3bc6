import { notFound } from '../../kernel/errors/app-error.ts'
import type { Kernel } from '../../kernel/kernel.ts'

/**
 * The address of the pictures that replace an installation's logos and people's portraits. The
 * console draws its own; these are for other clients.
 */
export const BUILT_IN_PICTURES = '/static/img/'

const GATE =
  '<path d="M3 29V8h4V4h5v4h8V4h5v4h4v21h-8v-8a5 5 0 0 0-10 0v8z" fill="#1aa893"/><path d="M14 29v-8a2 2 0 0 1 4 0v8z" fill="#f2c14e"/>'
const svg = (width: number, height: number, inside: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${inside}</svg>`
const person = (color: string) =>
  svg(
    64,
    64,
    `<rect width="64" height="64" fill="#e2ebee"/><g fill="${color}"><circle cx="32" cy="24" r="12"/><path d="M8 64a24 22 0 0 1 48 0z"/></g>`,
  )

const PICTURES: Readonly<Record<string, string>> = {
  'logo.svg': svg(82, 82, `<g transform="scale(2.56)">${GATE}</g>`),
  'logo-text.svg': svg(
    185,
    55,
    `<g transform="translate(4 6) scale(1.3)">${GATE}</g><text x="56" y="36" font-family="sans-serif" font-size="24" font-weight="600" fill="#1aa893">Sallyport</text>`,
  ),
  'login-image.svg': svg(
    492,
    472,
    `<rect width="492" height="472" fill="#2f4050"/><g transform="translate(150 130) scale(6)">${GATE}</g>`,
  ),
  'favicon.svg': svg(32, 32, GATE),
  'avatar-admin.svg': person('#0f7b6c'),
  'avatar-user.svg': person('#7b8a97'),
}

/**
 * Their addresses by name, as the public settings and the interface setting answer them
 * (docs/rules/settings.md#logo_urls).
 */
export const builtInLogos = () => ({
  logo_logout: `${BUILT_IN_PICTURES}logo.svg`,
  logo_index: `${BUILT_IN_PICTURES}logo-text.svg`,
  login_image: `${BUILT_IN_PICTURES}login-image.svg`,
  favicon: `${BUILT_IN_PICTURES}favicon.svg`,
})

/** Portrait of system administrators, and of everybody else (docs/rules/users.md#avatar_url). */
export const avatarOf = (role: unknown) => `${BUILT_IN_PICTURES}avatar-${role === 'Admin' ? 'admin' : 'user'}.svg`

export function registerBuiltInPictures({ app }: Kernel): void {
  app.route<{ Params: { name: string } }>({
    method: 'GET',
    url: `${BUILT_IN_PICTURES}:name`,
    config: { access: ['anonymous'], summary: 'Built-in picture', answers: 'file' },
    handler: async ({ params: { name } }, reply) => {
      const picture = Object.hasOwn(PICTURES, name) ? PICTURES[name] : undefined
      if (!picture) throw notFound()
      return reply.header('cache-control', 'public, max-age=86400').type('image/svg+xml').send(picture)
    },
  })
}
