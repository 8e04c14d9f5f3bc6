/**
 * The calls that change something and are not taken back, with the reason: docs/operate-undo.md lists
 * these reasons, and the walk of the operate log (operate-log.test.ts) holds every other call to answer
 * by which id its change is taken back.
 */
export const NOT_TAKEN_BACK: readonly { reason: string; calls: readonly RegExp[] }[] = [
  {
    reason: 'Evidence stays: sessions that were locked or ended, tickets, comments and access reviews.',
    calls: [
      /\/terminal\/(tasks|sessions)\//,
      /^DELETE \/koko\/sessions\//,
      /\/tickets\/(?!flows)/,
      /\/reviews\/access-reviews\//,
      /\/break-glass-bundles\/:id\/(opened|seal)\//,
    ],
  },
  {
    reason: 'Runs have done their work on machines: tasks, plans, batch commands, imports of a cloud, files.',
    calls: [
      /execution/,
      /\/(accounts|assets|:id)\/tasks\/$|\/(verify|run)\/$|\/(try|shown)-|\/check_assets_amount_task\//,
      /\/ops\/(monitor|celery\/task)\//,
      /\/terminal\/(capacity|recording-moves)\//,
      /\/moving\/jumpserver\//,
      /^(PUT|POST|DELETE) \/koko\//,
      /\/gathered-users\/:id\//,
      /\/runbooks\/:id\/preview\//,
      /\/(testing|test-connective|test|test-sign-in|discover)\//,
    ],
  },
  {
    reason: 'Messages and invitations have been sent, and people have answered them.',
    calls: [/\/site-message\//, /\/invite\/$/, /\/(own-)?invitations\//, /\/webhook-deliveries\//],
  },
  {
    reason: 'Passwords, keys and second factors of people are set again by hand, and so is a lock.',
    calls: [
      /\/profile\/(password|public-key|secret-key|pubkey)\//,
      /\/users\/:id\/(mfa|password|pubkey|unblock)\//,
      /\/passkeys\/|\/otp\/|\/unbind\/|\/password\/verify\/|\/(browser-sign-ins|agent-programs|oauth)\//,
    ],
  },
  {
    reason:
      'Sign-ins and tokens that have ended stay so. API keys are made and switched by hand; a deleted one comes back.',
    calls: [
      /^(POST|PUT|PATCH) .*\/access-keys\//,
      /\/connection-token\/|\/sso\/|\/temp-auth\//,
      /\/sign-ins\/|\/sessions\/(:id\/)?$/,
      /\/scim\/providers\/:id\/token\/|\/service-keys\/|\/workload-tokens\//,
    ],
  },
  {
    reason: 'Identities of machines that were trusted: delete the key where that was wrong.',
    calls: [/(host|server)-keys\/(accept|confirm)\//, /\/destinations\/confirm\//],
  },
  {
    reason: 'Undo itself is taken back by an undo of its row; what was erased for good is gone.',
    calls: [/\/audits\/undo\//, /\/ssh-authorities\/:id\/retire\/$/],
  },
  {
    reason:
      'Choose them again: recipients of system messages, files of runbooks, jobs that come by the clock, the license and the look, hints that were dismissed.',
    calls: [
      /\/ops\/runbook-files\/|\/ops\/celery\/period-tasks\//,
      /\/system-msg-subscription\//,
      /\/xpack\/(license|interface)\//,
      /\/dismiss-guide\//,
    ],
  },
  {
    reason: 'Suggestions are found again where they still hold; the change that one made is taken back.',
    calls: [/\/reviews\/proposals\/:id\//],
  },
]

/**
 * Calls that the walk does not bring about, or that change nothing there: the test that takes them back,
 * or why they are the same code as one that is.
 */
export const TAKEN_BACK_ELSEWHERE: readonly (readonly [RegExp, string])[] = [
  [/\/import-jobs\//, 'audits/undo/undo-in-parts.test.ts: imports'],
  [/\/as-code\/(plan|apply)\//, 'test/as-code.test.ts: an apply is one change; a plan changes nothing'],
  [/\/(ldap|directories\/:id)\/users\/import\//, 'authentication/ldap: an import by hand'],
  [/\/nodes\/:id\/(children\/add|assets\/(add|remove|replace))\//, 'audits/undo/undo-in-parts.test.ts: moves'],
  [/\/auth-info\/$/, 'audits/undo/undo-of-routes.test.ts'],
  [/\/change-auth-plan\/plan\/:id\/|\/app-plan\/:id\/systemusers\//, 'audits/undo/undo-of-routes.test.ts'],
  [/\/released-assets\/$/, 'cloud/cloud-sync.test.ts'],
  [/\/users\/users\/(:id\/)?remove\/$|\/membership\/|\/org-member-relation\//, 'audits/undo/undo-of-people.test.ts'],
  [/\/user-msg-subscription\/:/, 'audits/undo/undo-of-people.test.ts'],
  [/-relations\//, 'a link that is put once more is no change; audits/undo/undo-in-parts.test.ts: links'],
  [
    /\/favorite-assets\/|\/tickets\/flows\/|\/ops\/(adhoc|runbook-schedules)\//,
    'written by the engine, as test/walks/undo.test.ts',
  ],
  [/\/terminal\/(terminals|replay-storages|command-storages)\//, 'written by the engine, as test/walks/undo.test.ts'],
  [/^DELETE .*(\/rules|\/users\/users)\/:id\/$/, 'written by the engine, as test/walks/undo.test.ts'],
]

const [BEGIN, END] = [
  '<!-- not taken back: made of apps/server/test/walks/not-taken-back.ts -->\n',
  '<!-- end of not taken back -->\n',
]

/** The page of undo with its list of reasons as it is to be. */
export function withReasons(page: string): string {
  const [before = '', rest = ''] = page.split(BEGIN)
  const [, after = ''] = rest.split(END)
  if (!rest.includes(END)) throw new Error('docs/operate-undo.md has no place for what is not taken back')
  return `${before}${BEGIN}\n${NOT_TAKEN_BACK.map(({ reason }) => wrapped(`- ${reason}`)).join('\n')}\n\n${END}${after}`
}

/** In lines of a hundred columns, as all pages are. */
function wrapped(item: string): string {
  const lines: string[] = ['']
  for (const word of item.split(' ')) {
    const last = lines.at(-1) ?? ''
    if (last && `${last} ${word}`.length > 100) lines.push(`  ${word}`)
    else lines[lines.length - 1] = last ? `${last} ${word}` : word
  }
  return lines.join('\n')
}
