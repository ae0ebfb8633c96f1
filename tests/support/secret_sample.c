#include "support/secret_sample.h"

#include <stdlib.h>

#define LOWER "abcdefghijklmnopqrstuvwxyz"
#define CAPITALS "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS "0123456789"

#define KEY_BODY "\n%B64;\n%B64;\n%B40;==\n-----END "

const struct secret_sample secret_samples[] = {
	{"private key", "-----BEGIN RSA PRIVATE KEY-----" KEY_BODY "RSA PRIVATE KEY-----\n"},
	{"private key", "-----BEGIN PRIVATE KEY-----" KEY_BODY "PRIVATE KEY-----"},
	{"private key", "-----BEGIN OPENSSH PRIVATE KEY-----" KEY_BODY "OPENSSH PRIVATE KEY-----"},
	{"private key",
	 "-----BEGIN PGP PRIVATE KEY BLOCK-----\n" KEY_BODY "PGP PRIVATE KEY BLOCK-----"},
	{"private key", "-----BEGIN EC PRIVATE KEY-----\\n%B64;\\n-----END EC PRIVATE KEY-----"},
	{"age key", "AGE-SECRET-KEY-1%U58;"},
	{"age key", "AGE-SECRET-KEY-PQ-1%U200;"},
	{"AWS access key", "AKIA%U16;"},
	{"AWS access key", "ASIA%U16;"},
	{"GitHub token", "ghp_%A36;"},
	{"GitHub token", "gho_%A36;"},
	{"GitHub token", "ghu_%A36;"},
	{"GitHub token", "ghs_%A36;"},
	{"GitHub token", "ghr_%A76;"},
	{"GitHub token", "github_pat_%A22;_%A59;"},
	{"GitLab token", "glpat-%W20;"},
	{"GitLab token", "gldt-%W20;"},
	{"GitLab token", "glrt-%W20;"},
	{"GitLab token", "glptt-%H40;"},
	{"Slack token", "xoxb-%D12;-%D13;-%A24;"},
	{"Slack token", "xoxp-%D12;-%D12;-%D12;-%H32;"},
	{"Slack token", "xoxa-2-%D12;-%A24;"},
	{"Slack token", "xapp-1-%U11;-%D13;-%H64;"},
	{"Slack webhook", "https://hooks.slack.com/services/T%U10;/B%U10;/%A24;"},
	{"Stripe key", "sk_live_%A24;"},
	{"Stripe key", "rk_live_%A99;"},
	{"Anthropic key", "sk-ant-api03-%W93;AA"},
	{"OpenAI key", "sk-proj-%W120;"},
	{"OpenAI key", "sk-svcacct-%W120;"},
	{"OpenAI key", "sk-admin-%W120;"},
	{"OpenAI key", "sk-%A20;T3BlbkFJ%A20;"},
	{"OpenRouter key", "sk-or-v1-%H64;"},
	{"Groq key", "gsk_%A52;"},
	{"xAI key", "xai-%A80;"},
	{"Perplexity key", "pplx-%A48;"},
	{"Replicate token", "r8_%A37;"},
	{"Hugging Face token", "hf_%A34;"},
	{"Google API key", "AIza%W35;"},
	{"Google OAuth token", "ya29.%W160;"},
	{"Google OAuth token", "GOCSPX-%W28;"},
	{"npm token", "npm_%A36;"},
	{"PyPI token", "pypi-AgEIcHlwaS5vcmc%W150;"},
	{"RubyGems token", "rubygems_%H48;"},
	{"Docker token", "dckr_pat_%W27;"},
	{"Vault token", "hvs.%A24;"},
	{"Vault token", "hvb.%W140;"},
	{"SendGrid key", "SG.%W22;.%W43;"},
	{"Postman key", "PMAK-%H24;-%H34;"},
	{"Grafana token", "glsa_%A32;_%H8;"},
	{"DigitalOcean token", "dop_v1_%H64;"},
	{"DigitalOcean token", "doo_v1_%H64;"},
	{"DigitalOcean token", "dor_v1_%H64;"},
	{"Shopify token", "shpat_%H32;"},
	{"Shopify token", "shpca_%H32;"},
	{"Shopify token", "shppa_%H32;"},
	{"Shopify token", "shpss_%H32;"},
	{"Square token", "sq0csp-%W43;"},
	{"Square token", "sq0atp-%W22;"},
	{"Azure storage key", "AccountName=a;AccountKey=%B86;==;EndpointSuffix=b"},
	{"Linear key", "lin_api_%A40;"},
	{"New Relic key", "NRAK-%U27;"},
	{"Supabase token", "sbp_%H40;"},
	{"Pulumi token", "pul-%H40;"},
	{"Doppler token", "dp.pt.%A43;"},
	{"Atlassian token", "ATATT3xFfGF0%W180;"},
	{"Sentry token", "sntryu_%H64;"},
	{"Databricks token", "dapi%H32;"},
	{"Brevo key", "xkeysib-%H64;-%A16;"},
	{"Tailscale key", "tskey-auth-k%A10;CNTRL-%A32;"},
	{"Tailscale key", "tskey-api-k%A10;CNTRL-%A32;"},
	{"AWS access key", "ABIA%U16;"},
	{"AWS access key", "A3TX%U16;"},
	{"AWS Bedrock key", "ABSK%B128;"},
	{"AWS Bedrock key", "bedrock-api-key-%B200;"},
	{"AWS secret key", "aws_secret_access_key = %B40;"},
	{"AWS secret key", "\"SecretAccessKey\": \"%B40;\""},
	{"bearer token", "Authorization: Bearer %W43;"},
	{"bearer token", "curl -H 'authorization: token %H40;' https://a.b"},
	{"1Password key", "A3-%U6;-%U6;-%U5;-%U5;-%U5;-%U5;"},
	{"1Password token", "ops_eyJ%B300;"},
	{"Adobe client secret", "p8e-%A32;"},
	{"Airtable token", "pat%A14;.%H64;"},
	{"Alibaba access key", "LTAI%A20;"},
	{"Artifactory key", "AKCp%A69;"},
	{"Artifactory token", "cmVmd%A59;"},
	{"Authress key", "sc_%A20;.%A5;.acc_%A20;.%A60;"},
	{"Azure client secret", "%A3;8Q~%A34;"},
	{"ClickHouse key", "4b1d%A38;"},
	{"Clojars token", "CLOJARS_%A60;"},
	{"Cloudflare origin key", "v1.0-%H24;-%H146;"},
	{"Dropbox token", "sl.%W135;"},
	{"Duffel token", "duffel_live_%W43;"},
	{"Dynatrace token", "dt0c01.%A24;.%A64;"},
	{"EasyPost key", "EZAK%A54;"},
	{"Facebook page token", "EAAM%A120;"},
	{"Facebook token", "%D15;|%A27;"},
	{"Flutterwave key", "FLWSECK_TEST-%H32;-X"},
	{"Fly.io token", "fo1_%W43;"},
	{"Frame.io token", "fio-u-%W64;"},
	{"Freemius key", "'secret_key' => 'sk_%A29;'"},
	{"GitLab session", "_gitlab_session=%H32;"},
	{"Grafana key", "eyJrIjoi%A100;"},
	{"Harness key", "pat.%W22;.%A24;.%A20;"},
	{"Heroku key", "HRKU-AA%W58;"},
	{"Infracost key", "ico-%A32;"},
	{"Intra42 secret", "s-s4t2ud-%H64;"},
	{"key of a shop in a URL", "https://%H8;:%H8;@gems.contribsys.com/"},
	{"Lob key", "live_%H35;"},
	{"Mailchimp key", "%H32;-us12"},
	{"MaxMind key", "%A6;_%A29;_mmk"},
	{"Nebula token", "dnkey-%A26;-%A52;"},
	{"Notion token", "ntn_%D11;%A35;"},
	{"Octopus Deploy key", "API-%U26;"},
	{"OpenShift token", "sha256~%W43;"},
	{"Plaid token", "access-production-%H8;-%H4;-%H4;-%H4;-%H12;"},
	{"PlanetScale token", "pscale_tkn_%W43;"},
	{"PlanetScale password", "pscale_pw_%W43;"},
	{"Prefect key", "pnu_%A36;"},
	{"ReadMe key", "rdme_%A70;"},
	{"Scalingo token", "tk-us-%W48;"},
	{"SettleMint token", "sm_aat_%A16;"},
	{"Shippo token", "shippo_live_%H40;"},
	{"SonarQube token", "squ_%H40;"},
	{"Sourcegraph token", "sgp_%H40;"},
	{"Sourcegraph token", "sgp_%H16;_%H40;"},
	{"Stripe key", "sk_test_%A24;"},
	{"Teams webhook",
	 "https://acme.webhook.office.com/webhookb2/%H8;-%H4;-%H4;-%H4;-%H12;@%H8;-%H4;-%H4;-%H4;-"
	 "%H12;/IncomingWebhook/%H32;/%H8;-%H4;-%H4;-%H4;-%H12;"},
	{"Telegram token", "%D10;:AA%A33;"},
	{"Terraform token", "%A14;.atlasv1.%A67;"},
	{"Twilio key", "SK%H32;"},
	{"Typeform token", "tfp_%W59;"},
	{"Yandex key", "AQVN%A36;"},
	{"Yandex token", "t1.%W60;.%W86;"},
	{"JSON web token", "ZXlKaGJHY2lPaU%B120;"},
	/* {"alg":"HS256"}, and {"typ":"JWT","alg":"ES256"}; {"sub":"bob... */
	{"JSON web token", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJib2%A20;.%W43;"},
	{"JSON web token", "eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJib2%A20;.%W86;"},
	{NULL, NULL},
};

const struct secret_sample password_samples[] = {
	{"password in a URL", "postgres://bob:%A12;@db.local/app"},
	{"password in a URL", "redis://:%A12;@cache:6379"},
	{"password", "password=%A10;"},
	{"password", "DB_PASSWORD: %A10;"},
	{"password", "passwd: \"%A10;\""},
	{"password", "{'password': '%A10;'}"},
	{"password", "the pwd = '%A10;'"},
	{"password", "the wifi password is %A10;"},
	{"password", "machine api.acme.org login bob password %A12;"},
	{"password of a command", "curl -u bob:%A12; https://a.b"},
	{"login in a header", "Authorization: Basic %A10;"},
	{"API key", "api_key=%A24;"},
	{"API key", "apikey: '%A20;'"},
	{"API key", "SECRET_KEY = \"%A30;\""},
	{"NuGet password", "<add key=\"ClearTextPassword\" value=\"%A12;\" />"},
	{"Kubernetes secret", "kind: Secret\ndata:\n  key: %A20;=="},
	{"Flutterwave public key", "FLWPUBK_TEST-%H32;-X"},
	{NULL, NULL},
};

const char *const secret_placeholders[] = {
	"ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
	"ghp_XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX",
	"ghp_abcdefghijklmnopqrstuvwxyz0123456789",
	"ghp_1234567890abcdefghijklmnopqrstuvwxyz",
	"ghp_<token>",
	"ghp_...",
	"ghp_tooShort1",
	"a ghp_ token, a github_pat_ token, or an sk-ant- key",
	"AKIAIOSFODNN7EXAMPLE",
	"AKIAXXXXXXXXXXXXXXXX",
	"XAKIAIOSFODNN7QWERTY2",
	"wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
	"sk-ant-...",
	"sk-ant-api03-your-key-goes-here-your-key-goes-here-your-key-goes-here",
	"sk-proj-this-is-the-name-of-a-project-and-its-part-2024-of-three",
	"sk_live_xxxxxxxxxxxxxxxxxxxxxxxx",
	"sk_test_4eC39HqLyjWDarjtT1zdp7dc",
	"glpat-xxxxxxxxxxxxxxxxxxxx",
	"glpat-this-is-my-token-placeholder",
	"xoxb-your-token-goes-right-here-please",
	"xoxb-000000000000-000000000000-xxxxxxxxxxxxxxxxxxxxxxxx",
	"https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX",
	"AIzaSyXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX",
	"npm_install_of_all_packages_and_their_dependencies",
	"hf_hub_download(repo_id, filename)",
	"hf_transformers_models_are_cached_in_here",
	"SG.x.y",
	"hvs.secret",
	"pypi-server",
	"dapi00000000000000000000000000000000",
	"shpat_deadbeefdeadbeefdeadbeefdeadbeef",
	"AGE-SECRET-KEY-1...",
	"-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
	"-----BEGIN RSA PRIVATE KEY-----",
	"-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAu1SU1LfVLPHCozMx"
	"H2Mo\n-----END PUBLIC KEY-----",
	"eyJhbGciOiJIUzI1NiJ9",
	"eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIn0."
	"SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
	"3f2504e04f8911d39a0c0305e82c3301", /* hex by itself is no secret */
	"d41d8cd98f00b204e9800998ecf8427e5b1c4a6f",
	"dGhpcyBpcyBqdXN0IHNvbWUgdGV4dCBpbiBiYXNlNjQgZm9ybQ==",
	"/usr/share/ASIAPACIFICREGION/x",
	"https://example.com/a:b@c",
	"postgres://user:password@localhost/db",
	"postgres://user:${PASSWORD}@localhost/db",
	"postgres://user:***@localhost/db",
	"postgres://user:<password>@localhost/db",
	"postgres://user@localhost/db",
	"ssh://git@github.com:22/a",
	"password=",
	"password: ",
	"password: ${PASSWORD}",
	"password=***",
	"passwd: <yours>",
	"password: the one on the sticky note",
	"def login(user, password=None):",
	"if (password == expected)",
	"the password is required",
	"the password is base64-encoded",
	"the wifi password is required",
	"the wifi password is written on the router",
	"api_key=os.environ[\"API_KEY\"]",
	"api_key: ${API_KEY}",
	"apikey = getApiKeyFromConfig()",
	"secret_key = secrets.token_hex(32)",
	"Authorization: Bearer <token>",
	"Authorization: Bearer $TOKEN",
	"Authorization: Bearer my-access-token-of-version-2",
	"Authorization: Basic Og==",
	"aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
	"machine learning needs a login and a password manager",
	"curl -u user:password https://a.b",
	"docker run -u 1000:1000 a",
	"kind: Secret\ndata: {}",
	"favicon-ico-d41d8cd98f00b204e9800998ecf8427e",
	"1700000000000000|2024-01-01-a-long-name-of-a-file",
	"s.getTheBase64EncodedValue",
	"API-REFERENCE",
	"x86-us, deadbeefdeadbeefdeadbeefdeadbeef-us12",
	"\"password\": \"\"",
	"\"password\": \"changeme\"",
	"forgot password? write to it@example.com",
	NULL,
};

static const char *alphabet_of(char kind)
{
	switch (kind) {
	case 'A':
		return CAPITALS LOWER DIGITS;
	case 'U':
		return CAPITALS DIGITS;
	case 'H':
		return DIGITS "abcdef";
	case 'W':
		return CAPITALS LOWER DIGITS "-_";
	case 'B':
		return CAPITALS LOWER DIGITS "+/";
	case 'D':
		return DIGITS;
	default:
		abort();
	}
}

static char next_of(const char *alphabet, uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return alphabet[(*state >> 33) % strlen(alphabet)];
}

/* Letters of both cases and digits are in each longer run, as they nearly always are. */
static const char *part_at(char kind, size_t at)
{
	static const char *const first[] = {CAPITALS, LOWER, DIGITS};

	if (at < 3 && (kind == 'A' || kind == 'W' || kind == 'B'))
		return first[at];
	return alphabet_of(kind);
}

static void add_random(struct str *out, char kind, size_t count, uint64_t *state)
{
	for (size_t i = 0; i < count; i++) {
		char before = out->len ? out->ptr[out->len - 1] : '\0';
		char next;

		do
			next = next_of(part_at(kind, i), state);
		while (next == before || next == before + 1);
		str_addc(out, next);
	}
}

void secret_make(const char *pattern, uint64_t *state, struct str *out)
{
	str_clear(out);
	while (*pattern) {
		char *end;
		char kind;

		if (*pattern != '%') {
			str_addc(out, *pattern++);
			continue;
		}
		kind = pattern[1];
		add_random(out, kind, strtoul(pattern + 2, &end, 10), state);
		pattern = end + 1;
	}
}
