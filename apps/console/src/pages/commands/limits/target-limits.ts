import { msg } from '../../../lib/i18n.ts'

/** A text, and what is written as it is typed. */
export interface WayAround {
  words: string
  example: string
}

/** What holds better than a rule that denies, and the page on which it is set, where there is one. */
export interface StrongerMeans {
  words: string
  /** Name of a route and the words that lead there. */
  page?: { name: string; words: string }
}

/** What rules over commands can't see on targets of one kind. */
export interface TargetLimits {
  title: string
  /** The subject of a rule there. */
  sees: string
  ways: readonly WayAround[]

  stronger: readonly StrongerMeans[]
}

const ALLOW_LIST = msg(
  'An allow-list: rules that allow the needed commands, then one that denies everything else (a regular expression, .*). Commands that can’t be understood are then denied as well.',
)
const SYSTEM_USERS = { name: 'SystemUserList', words: msg('System users') }
const RULES_OF_FILTERS = { name: 'CommandFilterList', words: msg('Command filters') }
const ASSET_PERMISSIONS = { name: 'AssetPermissionList', words: msg('Asset permissions') }

/**
 * Ways around rules and stronger means, by kind of target. The page of the console, the fold on
 * filters and rules, and docs/command-rules.md are made from it.
 */
export const TARGET_LIMITS = {
  shell: {
    title: msg('Linux and Unix'),
    sees: msg(
      'A rule sees the line that is sent to the shell, not its effect on the machine. People with a shell can still:',
    ),
    ways: [
      { words: msg('put commands into a script file and run the file'), example: 'sh ./job.sh' },
      { words: msg('run them from an editor or pager, whose screen is not judged'), example: ':!reboot' },
      { words: msg('give them another name by an alias or function of the machine'), example: 'alias ls=reboot' },
      { words: msg('write them encoded, so that they are known only when they run'), example: 'base64 -d job | sh' },
      { words: msg('use a language that can do the same'), example: "python3 -c '…'" },
    ],
    stronger: [
      { words: ALLOW_LIST, page: RULES_OF_FILTERS },
      {
        words: msg(
          'A forced command: ForceCommand of sshd or command= in authorized_keys on the machine, which then refuses everything else; and sudo rules that name each command.',
        ),
        page: SYSTEM_USERS,
      },
      {
        words: msg('A system user without a shell, or without the right to do harm.'),
        page: SYSTEM_USERS,
      },
      {
        words: msg('A permission without upload, so that no script gets there as a file.'),
        page: ASSET_PERMISSIONS,
      },
    ],
  },
  network: {
    title: msg('Network equipment'),
    sees: msg(
      'A rule sees the line that is sent, not its effect on the device: each has a language of its own, with short forms. People who are signed in there can still:',
    ),
    ways: [
      { words: msg('shorten a command as far as the device understands it'), example: 'relo · wr er' },
      { words: msg('let the device complete it'), example: 'rel⇥' },
      { words: msg('give it another name on the device'), example: 'alias exec ll reload' },
      { words: msg('have a file or a timer run it'), example: 'copy tftp://… running-config · reload in 1' },
      { words: msg('connect to another device'), example: 'ssh 10.0.0.2' },
    ],
    stronger: [
      { words: ALLOW_LIST, page: RULES_OF_FILTERS },
      {
        words: msg(
          'A system user with a privilege level or a role on the device that has only those commands; TACACS+ asks about each of them.',
        ),
        page: SYSTEM_USERS,
      },
      {
        words: msg('A permission without upload, so that no configuration gets there as a file.'),
        page: ASSET_PERMISSIONS,
      },
    ],
  },
  database: {
    title: msg('Databases'),
    sees: msg(
      'A rule sees the text of a statement, not its effect in the database. People who may send statements can still:',
    ),
    ways: [
      {
        words: msg('put it together while it runs'),
        example: "SET @s = CONCAT('DROP TA', 'BLE t'); PREPARE p FROM @s",
      },
      { words: msg('call a function or procedure that does it'), example: 'SELECT tidy_up()' },
      { words: msg('write it inside another statement'), example: 'CREATE PROCEDURE p() DROP TABLE t' },
      { words: msg('reach the same by another statement'), example: 'DELETE FROM t · TRUNCATE t' },
      { words: msg('change data by a view, a trigger or a rule of the database'), example: 'UPDATE v SET …' },
    ],
    stronger: [
      {
        words: msg('An account that has only those rights in the database (GRANT), such as one that may only read.'),
        page: SYSTEM_USERS,
      },
      { words: ALLOW_LIST, page: RULES_OF_FILTERS },
      {
        words: msg('A permission for the needed databases alone, and only for the needed time.'),
        page: { name: 'ApplicationPermissionList', words: msg('Application permissions') },
      },
    ],
  },
  redis: {
    title: msg('Redis'),
    sees: msg(
      'A rule sees a command and its arguments, not their effect on the keys. People who may send commands can still:',
    ),
    ways: [
      { words: msg('run it from a script'), example: 'EVAL "return redis.call(\'del\', KEYS[1])" 1 k' },
      { words: msg('empty a key by other means'), example: 'EXPIRE k 0 · SET k "" · RENAME k x' },
      { words: msg('name keys that only a pattern knows'), example: 'SCAN 0 MATCH *' },
      { words: msg('change what the server is allowed to do'), example: 'CONFIG SET … · MODULE LOAD …' },
    ],
    stronger: [
      {
        words: msg(
          'An account whose access rules on the server name its commands and keys (ACL SETUSER reader +@read ~orders:*).',
        ),
        page: SYSTEM_USERS,
      },
      { words: ALLOW_LIST, page: RULES_OF_FILTERS },
    ],
  },
} as const satisfies Record<string, TargetLimits>

export type TargetKind = keyof typeof TARGET_LIMITS
export const TARGET_KINDS = Object.keys(TARGET_LIMITS) as TargetKind[]
