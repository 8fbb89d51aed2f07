import { describe, expect, it } from 'vitest';
import { declared, imported, language, targets } from './read-language.js';

describe('C#', () => {
  it('imports namespaces, and sees those around its own', () => {
    const text = `global using Shop.Common;
using System.Linq;
using Shop.Core.Models;
using static Shop.Core.Limits;
using Entry = Shop.Core.Models.Item;

namespace Shop.Api.Services;

public class CartService
{
    public void Load()
    {
        using var file = Open();
    }
}
`;
    const own = 'Shop.Api.Services';
    expect(imported('csharp', text)).toEqual([
      [`${own}:Shop.Common`, null],
      [`${own}:Shop.Core.Models`, null],
      [`${own}:Shop.Core.Limits`, ['Limits>Limits']],
      [`${own}:Shop.Core.Models.Item`, ['Item>Entry']],
      [`${own}:Shop.Api`, null],
      [`${own}:Shop`, null],
    ]);
  });

  it('follows no name of hundreds of thousands of parts', () => {
    const text = `using ${'a.'.repeat(300_000)}a;\nusing Shop.Core;\n`;
    const references = [...language('csharp').parseImports(text)];
    for (const reference of references) language('csharp').importTargets(reference, '/w/a/b/c/d.cs', '/w');
    expect(references.map(({ specifier }) => specifier)).toEqual([':Shop.Core']);
  });

  it('finds namespaces by their folders', () => {
    const from = '/w/src/Shop.Api/Services/CartService.cs';
    const own = 'Shop.Api.Services';
    expect(targets('csharp', `${own}:Shop.Api.Models`, from)[0]).toBe('/w/src/Shop.Api/Models/');
    expect(targets('csharp', `${own}:Shop.Api`, from)[0]).toBe('/w/src/Shop.Api/');
    expect(targets('csharp', `${own}:Shop.Core.Models`, from)).toContain('/w/src/Shop.Core/Models/');
    expect(targets('csharp', `${own}:Shop.Core.Models.Item`, from, ['Item'])).toContain(
      '/w/src/Shop.Core/Models/Item.cs',
    );
    const other = '/w/Game/Player.cs';
    expect(targets('csharp', ':Game.World', other)).toContain('/w/Game/World/');
    expect(language('csharp').folderIsScope).toBe(true);
  });

  it('declares', () => {
    const text = `namespace Shop.Core
{
    /// <summary>A cart.</summary>
    [Serializable]
    public sealed class Cart<T> : ICart
        where T : Item
    {
        private readonly List<T> items = new();

        public int Count { get; private set; }

        [Obsolete("slow")]
        public decimal Total(bool taxes = true)
        {
            return items.Sum();
        }

        public bool IsEmpty => Count == 0;

        private void Hidden()
        {
        }
    }

    public interface ICart
    {
        decimal Total(bool taxes);
    }

    internal enum Suit
    {
        Hearts,
        Spades = 2,
    }

    public record Point(int X, int Y);

    public delegate void Changed(Cart<Item> cart);
}
`;
    expect(declared('csharp', text)).toEqual({
      Cart: `public sealed class Cart<T> : ICart
    where T : Item
{
    public int Count { get; private set; }
    public decimal Total(bool taxes = true)
    public bool IsEmpty => Count == 0;
}
`,
      ICart: 'public interface ICart\n{\n    decimal Total(bool taxes);\n}\n',
      Suit: 'internal enum Suit\n{\n    Hearts,\n    Spades = 2,\n}\n',
      Point: 'public record Point(int X, int Y);\n',
      Changed: 'public delegate void Changed(Cart<Item> cart);\n',
    });
    expect(declared('csharp', 'namespace A;\n\npublic static class B\n{\n    public const int C = 1;\n}\n')).toEqual({
      B: 'public static class B\n{\n    public const int C = 1;\n}\n',
    });
  });
});

describe('PHP', () => {
  it('imports classes, in groups and under other names', () => {
    const text = `<?php

declare(strict_types=1);

namespace App\\Http\\Controllers;

use App\\Models\\User;
use App\\Models\\{Order, Item as Entry};
use App\\Services\\Mailer as Mail, App\\Services\\Log;
use App\\Support\\{
    Money,
    Dates\\Clock,
};
use function App\\Support\\format;
use \\DateTime;

class UserController
{
    use Loggable;
}
`;
    const own = 'App\\Http\\Controllers';
    expect(imported('php', text)).toEqual([
      [`${own}:App\\Models\\User`, ['User>User']],
      [`${own}:App\\Models\\Order`, ['Order>Order']],
      [`${own}:App\\Models\\Item`, ['Item>Entry']],
      [`${own}:App\\Services\\Mailer`, ['Mailer>Mail']],
      [`${own}:App\\Services\\Log`, ['Log>Log']],
      [`${own}:App\\Support\\Money`, ['Money>Money']],
      [`${own}:App\\Support\\Dates\\Clock`, ['Clock>Clock']],
      [`${own}:App\\Support\\format`, ['format>format']],
      [`${own}:DateTime`, ['DateTime>DateTime']],
    ]);
  });

  it('finds classes by the folder of the own namespace, or by the usual folders', () => {
    const controller = '/w/app/Http/Controllers/UserController.php';
    expect(targets('php', 'App\\Http\\Controllers:App\\Models\\User', controller)[0]).toBe('/w/app/Models/User.php');
    expect(targets('php', 'App\\Http\\Controllers:App\\Http\\Controllers\\A', controller)[0]).toBe(
      '/w/app/Http/Controllers/A.php',
    );
    const test = '/w/tests/Feature/UserTest.php';
    expect(targets('php', 'Tests\\Feature:App\\Models\\User', test)).toContain('/w/app/Models/User.php');
    expect(targets('php', 'Acme\\Shop\\Tests:Acme\\Shop\\Cart', '/w/tests/CartTest.php')).toContain('/w/src/Cart.php');
    expect(targets('php', 'App\\Models:Database\\Factories\\UserFactory', '/w/app/Models/User.php')).toContain(
      '/w/database/factories/UserFactory.php',
    );
    expect(targets('php', ':App\\Models\\User', '/w/public/index.php')).toContain('/w/app/Models/User.php');
    expect(targets('php', 'A:DateTime', '/w/src/B.php')).toEqual([]);
    expect(language('php').folderIsScope).toBe(true);
  });

  it('declares', () => {
    const text = `<?php

namespace App\\Models;

abstract class User extends Model implements HasName
{
    use HasFactory;

    public const LIMIT = 10;

    protected $fillable = [
        'name',
    ];

    private int $secret = 1;

    /** Of the user. */
    public function __construct(
        private readonly Clock $clock,
        public string $name,
    ) {
        parent::__construct();
    }

    #[Override]
    public function orders(int $limit = 10): HasMany
    {
        return $this->hasMany(Order::class);
    }

    private function hidden(): void
    {
    }
}

final readonly class Point {
    public function x(): int {
        return 1;
    }
}

interface HasName
{
    public function name(): string;
}

enum Suit: string
{
    case Hearts = 'H';
    case Spades = 'S';
}

function total(array $items): int
{
    return count($items);
}

const LIMIT = 3;
`;
    expect(declared('php', text)).toEqual({
      User: `abstract class User extends Model implements HasName
{
    public const LIMIT = 10;
    protected $fillable = [
        'name',
    ];
    public function __construct(
        private readonly Clock $clock,
        public string $name,
    );
    public function orders(int $limit = 10): HasMany
}
`,
      Point: 'final readonly class Point {\n    public function x(): int;\n}\n',
      HasName: 'interface HasName\n{\n    public function name(): string;\n}\n',
      Suit: "enum Suit: string\n{\n    case Hearts = 'H';\n    case Spades = 'S';\n}\n",
      total: 'function total(array $items): int\n',
      LIMIT: 'const LIMIT = 3;\n',
    });
  });
});
