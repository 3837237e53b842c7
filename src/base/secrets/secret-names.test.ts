import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSecretName } from './secret-names.ts';

const secret = `
  authorization Authorization Proxy-Authorization Cookie Set-Cookie cookies auth AUTH _auth basic_auth proxyAuth bearer
  token TOKEN access_token refreshToken GITHUB_TOKEN NPM_CONFIG__AUTHTOKEN authtoken tokenValue TOKEN_OPENAI GITHUB_TOKEN_1 access_tokens
  --token --github-personal-access-token X-Auth-Token tokenSecret
  api_key apiKey APIKEY api-key X-API-Key API_KEYS API_KEY_OPENAI openaiApiKey XAPIKey
  aws_secret_access_key AWS_SECRET_ACCESS_KEY privateKey private_key signingKey encryptionKey accountKey
  Ocp-Apim-Subscription-Key X-Auth-Key SSH_KEY OPENAI_KEY KEY --key --openai-key SECRET_KEY_BASE
  secret SECRET secrets client_secret clientSecret appsecret
  password Password PASSWORD passwords PGPASSWORD DB_PASSWORD password2 PASSWORD_PROD passwordHash db_passwd passphrase SSH_PASSPHRASE
  pass PASS SMTP_PASS userPass pwd Pwd --pwd MYSQL_PWD DB_PWD
  credential credentials awsCredentials creds GITHUB_PAT --pat PIN CARD_PIN
`;

const harmless = `
  PWD OLDPWD INIT_CWD HOME PATH USER PORT HOST NODE_ENV name value id text method params arguments
  progressToken progress_token nextPageToken page_token pageToken nextToken continuationToken syncToken resumptionToken eos_token
  tokens maxTokens MAX_TOKENS max_tokens tokenizer TOKENIZERS_PARALLELISM tokenCount token_type TOKEN_URL TOKEN_FILE TOKEN_ENV bearer_token_env_var tokenLimit
  key keys primaryKey PRIMARY_KEY publicKey PUBLIC_KEY foreign_key CACHE_KEY issueKey sortKey MONKEY KEYBOARD keyboard hotkey turkey
  AWS_ACCESS_KEY_ID SSH_KEY_PATH SECRET_NAME secretName secretary passwordPolicy PASSWORD_STORE_DIR
  author AUTHOR GIT_AUTHOR_NAME authority authorized XAUTHORITY SSH_AUTH_SOCK authType
  COMPASS bypass passed PASSENGER SSH_ASKPASS first_pass pin pat path pattern spin cookieConsent
`;

const names = (list: string) => list.trim().split(/\s+/);

describe('names', () => {
  it.each(names(secret))('%s is secret', (name) => {
    expect(isSecretName(name)).toBe(true);
  });

  it.each(names(harmless))('%s is not secret', (name) => {
    expect(isSecretName(name)).toBe(false);
  });

  it('names of several words may be written in any case style', () => {
    const spellings = [
      (words: string[]) => words.join('_'),
      (words: string[]) => words.join('-'),
      (words: string[]) => words.join('.'),
      (words: string[]) => words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join(''),
      (words: string[]) => words.join('_').toUpperCase(),
    ];
    const word = fc.constantFrom('my', 'db', 'github', 'access', 'refresh', 'client');
    const ending = fc.constantFrom(
      'token',
      'secret',
      'password',
      'passwd',
      'passphrase',
      'credentials',
      'cookie',
      'auth',
      'pass',
      'pwd',
    );
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 3 }), ending, (words, last) => {
        for (const spell of spellings) expect(isSecretName(spell([...words, last]))).toBe(true);
        for (const spell of spellings) expect(isSecretName(spell([...words, last, 'file']))).toBe(false);
      }),
    );
  });
});
